// Listener: accepts the connections of a server, hands them to gRPC, and watches them until they
// end.
//
//   Listener listener(options);
//   SIGNET_ASSIGN_OR_RETURN(int port, listener.Listen("0.0.0.0:8500"));
//   listener.Start([&](int descriptor) { ... });   // gives the socket to gRPC
//   ...
//   listener.StopListening();
//   listener.EndConnections(milliseconds(500));
//
// gRPC 1.51 does not listen itself, because its listener ends for good after one failed accept.
// The rules:
//   1. At most `max_connections` are open; by default as many as the limit of open files allows.
//      A connection beyond that is closed at once.
//   2. When the process has no file descriptor left, a reserved one is used to accept and close
//      what waits, and accepting goes on.
//   3. A connection that sends a request more slowly than 1 KiB per second, or reads responses more
//      slowly than that, is closed after `stall_seconds` to twice as long.
//   4. A connection over TCP whose client misuses HTTP/2 is slowed down or closed
//   (guarded_reads.h).
//   5. A unix socket in use is never taken over, and only the socket that this listener made is
//      removed.
//
// Built, started and stopped by one thread; FindPeer, NoteCall and the counters are thread-safe.

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

class Listener {
 public:
  struct Options {
    int max_connections = 0;  // 0: as many as the limit of open files allows
    int stall_seconds = 20;
    FrameScanner::Limits frames;
  };
  using Handler = std::function<void(int descriptor)>;

  explicit Listener(Options options);
  ~Listener();
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  // Binds every address of `HOST:PORT` and returns the port; port 0 picks one. UNAVAILABLE if none
  // can be bound.
  StatusOr<int> Listen(const std::string& address);
  // UNAVAILABLE if a process listens on `path`, or the file cannot be made. Replaces a socket that
  // no process listens on.
  Status ListenOnUnixSocket(const std::string& path);

  // Accepts from now on, on a thread of its own. `handler` owns the descriptor.
  void Start(Handler handler);
  // Closes the listening sockets, so that new connections are refused by the system.
  void StopListening();
  // Ends every connection after the bytes that were written to it, so that clients fail calls
  // without a response with UNAVAILABLE. Waits until the clients have closed them, or for `time`.
  void EndConnections(std::chrono::milliseconds time);

  // Returns the connection that gRPC calls `peer`, or null if it has ended or cannot be told apart
  // from others, such as those over a unix socket.
  std::shared_ptr<Connection> FindPeer(std::string_view peer) const;

  // To be called for each call, so that a slow connection that makes calls is not taken for one
  // that sends a request without end. Costs one relaxed load while no connection is slow.
  template <class Context>
  void NoteCall(const Context& context) {
    if (num_slow_.load(std::memory_order_relaxed) == 0) return;
    if (auto connection = FindPeer(context.peer())) connection->called = true;
  }

  int max_connections() const { return max_connections_; }
  int64_t num_connections() const { return num_connections_.load(std::memory_order_relaxed); }
  int64_t num_accepted() const { return num_accepted_.load(std::memory_order_relaxed); }
  int64_t num_refused() const { return num_refused_.load(std::memory_order_relaxed); }

 private:
  struct Watched;

  void Run();
  void AcceptAll(int listening);
  // Returns false if nothing waits, or accepting should pause.
  bool AcceptOne(int listening);
  void Serve(int descriptor);
  void RefuseWithSpare(int listening);
  void Refused(std::string_view why);
  void Forget(int duplicate);
  void CloseListening();
  void Watch();
  // Returns why the connection is to be closed, or null.
  const char* FindStall(Watched& watched);
  void Wake();

  const Options options_;
  Handler handler_;
  int max_connections_ = 0;
  int epoll_ = -1;
  int wake_ = -1;
  int spare_ = -1;  // used when no other descriptor is left; the listening thread's
  const std::shared_ptr<PausedSockets> paused_;
  std::string unix_path_;
  dev_t unix_device_ = 0;  // of the file that was made at unix_path_
  ino_t unix_inode_ = 0;
  std::thread thread_;

  std::atomic<int64_t> num_connections_{0};
  std::atomic<int64_t> num_accepted_{0};
  std::atomic<int64_t> num_refused_{0};
  std::atomic<int64_t> num_slow_{0};
  int64_t refused_logged_ = 0;                           // the listening thread's
  std::chrono::steady_clock::time_point log_again_{};    // the listening thread's
  std::chrono::steady_clock::time_point watch_again_{};  // the listening thread's

  mutable std::mutex mu_;
  std::condition_variable changed_;
  std::vector<int> listening_;                       // guarded by mu_
  std::map<int, std::unique_ptr<Watched>> watched_;  // by duplicate; guarded by mu_
  std::unordered_map<std::string, std::shared_ptr<Connection>> peers_;  // guarded by mu_
  bool stop_listening_ = false;                                         // guarded by mu_
  bool stop_ = false;                                                   // guarded by mu_
};

}  // namespace signet
