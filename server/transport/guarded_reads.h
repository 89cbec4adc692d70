// GuardedReads: checks and slows down what gRPC reads from the connections of clients.
//
// gRPC 1.51 has no protection against floods of HTTP/2 frames. This file defines the function
// `recvmsg`, through which gRPC's library reads sockets, so that each connection is checked where
// gRPC reads it, without a copy of the bytes. The rules, for each guarded connection:
//   1. A connection that FrameScanner rejects ends: the read fails with ECONNRESET.
//   2. After 100 streams that the client reset, reads report that no bytes are available (EAGAIN)
//      until the connection has its turn. A stream that is reset no longer counts against the limit
//      of concurrent calls, but its call remains in memory until gRPC finishes it. A connection
//      therefore has its next turn only when the calls of its last turn are finished
//      (calls_in_memory.h). One connection has a turn per kTurn.
//   3. After 1000 streams without a pause, reads report once that no bytes are available.
//      A gRPC thread runs the handlers of the calls that it read only when it finds no more bytes.
//   4. A connection with more than `max_calls` calls in memory pauses after rule 2 or 3 until it
//      has fewer, even if its streams were not reset.
//   5. A read ends at the frame after which the connection must pause. A small read may also return
//      the few frames that follow.
//   6. With TLS, the frames are checked when gRPC decrypts them: this file also defines `SSL_read`,
//      and `SSL_do_handshake`, which finds the socket of a connection of OpenSSL. The first read
//      ends with the ClientHello (client_hello.h); a connection that begins otherwise ends. After
//      4 to 32 KiB, reads report once that no bytes are available, so that gRPC decrypts what it
//      read before the connection reads on.
//   7. After 2 MiB without a pause, reads report that no bytes are available, so that gRPC waits
//   for
//      an event. gRPC allocates the memory of its next read by the bytes that it has read since the
//      last time it waited. A client that sends faster than gRPC parses, such as one that sends
//      small frames of any type, could otherwise make it allocate gigabytes. Beyond 2 GiB, the
//      number of bytes overflows, and gRPC ends the process.
// TCP limits what a paused client sends. No connection ends because of rules 2 to 5 and 7. Reads of
// other sockets do not change. Thread-safe.

#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/transport/calls_in_memory.h"
#include "server/transport/frame_scanner.h"

namespace signet {

class GuardedSocket;

// The guarded connections that are paused.
class PausedSockets {
 public:
  static constexpr std::chrono::milliseconds kTurn{20};

  // `max_calls` is the number of calls that a client may have at once. `wake` is called, on any
  // thread, when a connection pauses.
  PausedSockets(int64_t max_calls, std::function<void()> wake)
      : max_calls_(max_calls), wake_(std::move(wake)) {}

  // Resumes the connections that pause by rule 3 and, if kTurn has passed since the last turn, one
  // connection whose calls are finished. Returns true if other connections wait. One thread calls
  // it.
  bool Resume();
  // Stops calling `wake`. Paused connections remain paused.
  void Stop();

 private:
  friend class GuardedSocket;

  void Add(std::shared_ptr<GuardedSocket> socket, bool for_a_turn);
  std::shared_ptr<GuardedSocket> NextForTurn();

  const int64_t max_calls_;
  // Used by the thread that calls Resume.
  CallsInMemory calls_;
  std::chrono::steady_clock::time_point next_turn_{};

  std::mutex mu_;
  std::function<void()> wake_;                          // guarded by mu_; null after Stop
  std::vector<std::shared_ptr<GuardedSocket>> passes_;  // guarded by mu_
  std::deque<std::shared_ptr<GuardedSocket>> turns_;    // guarded by mu_
};

// Guards the reads of `descriptor`, a connected TCP socket, until Unguard. `duplicate` is another
// descriptor of the same socket, which the guard owns. `peer` is gRPC's name of the connection.
// `tls` states that the client must use TLS.
std::shared_ptr<GuardedSocket> GuardReads(int descriptor, int duplicate, std::string peer, bool tls,
                                          FrameScanner::Limits limits,
                                          std::shared_ptr<PausedSockets> paused);
void Unguard(const std::shared_ptr<GuardedSocket>& socket);

}  // namespace signet
