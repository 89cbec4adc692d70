// GuardedReads: checks and slows down what gRPC reads from the connections of clients.
//
// gRPC 1.51 has no protection against floods of HTTP/2 frames. This file defines the function
// `recvmsg`, through which gRPC's library reads sockets, so that each connection is checked where
// gRPC reads it, without a copy of the bytes. The rules, for each guarded connection:
//   1. A connection that FrameScanner rejects ends: the read fails with ECONNRESET.
//   2. After 100 streams that the client reset, reads report that no bytes are there (EAGAIN) until
//      the connection has its turn, at least kTurn later. One connection has a turn per kTurn. A
//      stream that is reset no longer counts against the limit of concurrent calls, but its call
//      remains in memory until gRPC finishes it. A pause gives gRPC's threads the time to do so.
//   3. After 1000 streams without a pause, reads report once that no bytes are there.
//      A gRPC thread runs the handlers of the calls that it read only when it finds no more bytes.
//   4. One read returns the rest of the current frame and at most 64 KiB, or 4 KiB after a turn, so
//      that few streams arrive before a pause.
// TCP bounds what a paused client sends. No connection ends because of rules 2 to 4.
//
// A socket that is not guarded is read as always. Thread-safe.

#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/transport/frame_scanner.h"

namespace signet {

class GuardedSocket;

// The guarded connections that are paused.
class PausedSockets {
 public:
  static constexpr std::chrono::milliseconds kTurn{20};

  // `wake` is called when a connection pauses; any thread.
  explicit PausedSockets(std::function<void()> wake) : wake_(std::move(wake)) {}

  // Lets connections that wait for the end of a pass read on, and, if kTurn has passed since the
  // last one, one that waits for its turn. Returns true if others wait.
  bool Resume();
  // Calls `wake` no more. Connections that are paused stay so.
  void Stop();

 private:
  friend class GuardedSocket;
  struct Waiting {
    std::chrono::steady_clock::time_point not_before;
    std::shared_ptr<GuardedSocket> socket;
  };

  void Add(std::shared_ptr<GuardedSocket> socket, bool for_a_turn);

  std::mutex mu_;
  std::function<void()> wake_;                          // guarded by mu_; null after Stop
  std::vector<std::shared_ptr<GuardedSocket>> passes_;  // guarded by mu_
  std::deque<Waiting> turns_;                           // guarded by mu_
  std::chrono::steady_clock::time_point next_turn_{};   // guarded by mu_
};

// Guards the reads of `descriptor`, a connected TCP socket, until Unguard. `duplicate` is another
// descriptor of the same socket, which the guard owns. `peer` is for the log.
std::shared_ptr<GuardedSocket> GuardReads(int descriptor, int duplicate, std::string peer,
                                          FrameScanner::Limits limits,
                                          std::shared_ptr<PausedSockets> paused);
void Unguard(const std::shared_ptr<GuardedSocket>& socket);

}  // namespace signet
