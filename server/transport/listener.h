// Listener: accepts the connections of a server, passes them to gRPC, and checks them until they
// end.
//
//   Listener listener(options);
//   SIGNET_ASSIGN_OR_RETURN(int port, listener.Listen("0.0.0.0:8500"));
//   listener.Start([&](int descriptor) { ... });   // passes the socket to gRPC
//   ...
//   listener.StopListening();
//   listener.EndConnections(milliseconds(500));
//
// gRPC 1.51 does not listen itself, because its listener stops permanently after one failed accept.
// The rules:
//   1. At most `max_connections` are open; the default is what the limit of open files permits.
//      Further connections are closed at once.
//   2. If the process has no free file descriptor, a reserved one is used to accept and close a
//      waiting connection, and the listener continues.
//   3. A connection that sends a request or reads responses more slowly than 1 KiB per second is
//      closed after one to two times `stall_seconds`.
//   4. A TCP connection whose client misuses HTTP/2 is slowed down or closed (guarded_reads.h).
//   5. A unix socket on which another process listens is not replaced, and only the socket that
//      this listener made is removed.
//
// One thread constructs, starts, and stops it. FindPeer, NoteCall, and the counters are
// thread-safe.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <thread>
#include <unordered_map>
#include <vector>

#include "server/transport/connection.h"
#include "server/transport/guarded_reads.h"
#include "signet/status.h"

namespace signet {

// Returns false for a Unix socket.
bool IsTcp(int descriptor);

class Listener {
 public:
  struct Options {
    int max_connections = 0;  // 0: as many as the limit of open files permits
    int stall_seconds = 20;
    FrameScanner::Limits frames;
  };
  using Handler = std::function<void(int descriptor)>;

  explicit Listener(Options options);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Binds every address of `HOST:PORT` and returns the port; for port 0, the system selects one.
  // Returns UNAVAILABLE if no address can be bound.
  StatusOr<int> Listen(const std::string& address);
  // Listens on a unix socket. Replaces a socket on which no process listens. Returns UNAVAILABLE if
  // a process listens on `path`, or if the socket cannot be made.
  Status ListenOnUnixSocket(const std::string& path);

  // States that TCP connections use TLS, so that their frames are scanned after they are decrypted
  // (rule 4). Call it before Start.
  void ExpectTls() { tls_ = true; }

  // Starts a thread that accepts connections. `handler` owns the descriptor.
  void Start(Handler handler);
  // Closes the listening sockets, so that the system rejects new connections.
  void StopListening();
  // Ends every connection after the bytes that were written to it. Clients then fail calls without
  // a response with UNAVAILABLE. Waits until the clients have closed their connections, or for
  // `time`.
  void EndConnections(std::chrono::milliseconds time);

  // Returns the connection that gRPC names `peer`. Returns null if it has ended, or if several
  // connections may have that name, as on a unix socket.
  std::shared_ptr<Connection> FindPeer(std::string_view peer) const;

  // Records that a call has arrived, so that a slow connection with many small calls is not closed
  // as one that sends a request slowly. Costs one relaxed load while no connection is slow.
  template <class Context>
  void NoteCall(const Context& context) {
    if (num_slow_.load(std::memory_order_relaxed) == 0) return;
    if (auto connection = FindPeer(context.peer())) connection->called = true;
  }

  int max_connections() const { return max_connections_; }
  int64_t num_connections() const { return num_connections_.load(std::memory_order_relaxed); }
  int64_t num_accepted() const { return num_accepted_.load(std::memory_order_relaxed); }
  int64_t num_rejected() const { return num_rejected_.load(std::memory_order_relaxed); }

 private:
  struct Watched;

  void Run();
  void AcceptAll(int listening);
  // Returns false if no connection waits, or if the listener must pause.
  bool AcceptOne(int listening);
  void Serve(int descriptor);
  void RejectWithSpare(int listening);
  void LogRejected(std::string_view why);
  void Forget(int duplicate);
  void CloseListening();
  void Watch();
  // Returns why the connection must be closed, or null.
  const char* FindStall(Watched& watched);
  void Wake();

  const Options options_;
  Handler handler_;
  bool tls_ = false;
  int max_connections_ = 0;
  int epoll_ = -1;
  int wake_ = -1;
  int spare_ = -1;  // closed to accept a connection without a free descriptor (rule 2)
  const std::shared_ptr<PausedSockets> paused_;
  std::string unix_path_;
  dev_t unix_device_ = 0;  // of the file that was made at unix_path_
  ino_t unix_inode_ = 0;
  std::thread thread_;

  std::atomic<int64_t> num_connections_{0};
  std::atomic<int64_t> num_accepted_{0};
  std::atomic<int64_t> num_rejected_{0};
  std::atomic<int64_t> num_slow_{0};
  int64_t rejected_logged_ = 0;                          // used by the listening thread
  std::chrono::steady_clock::time_point log_again_{};    // used by the listening thread
  std::chrono::steady_clock::time_point watch_again_{};  // used by the listening thread

  mutable std::mutex mu_;
  std::condition_variable changed_;
  std::vector<int> listening_;                       // guarded by mu_
  std::map<int, std::unique_ptr<Watched>> watched_;  // by duplicate; guarded by mu_
  std::unordered_map<std::string, std::shared_ptr<Connection>> peers_;  // guarded by mu_
  bool stop_listening_ = false;                                         // guarded by mu_
  bool stop_ = false;                                                   // guarded by mu_
};

}  // namespace signet
