// UnreadResponses: limits the bytes of responses that the server holds until clients read them.
//
// A response stays in memory until the flow control of the client permits sending it, over gRPC and
// over HTTP. A client that makes calls with large results, and does not read the results, would
// otherwise fill the memory.
// The rules:
//   1. One limit applies to the unread responses of one connection, and another to the unread
//      responses of all connections. If a response exceeds a limit, the client receives
//      RESOURCE_EXHAUSTED (reason RESPONSES_UNREAD) instead. A connection without unread responses
//      may exceed its limit by one response.
//   2. While a limit is reached, new calls are rejected before they run.
//   3. Responses below 16 KiB are not counted, because --max_concurrent_calls limits their number.
// A connection that makes no progress is closed by the listener. All clients of a unix socket count
// as one connection. Thread-safe.

#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string_view>

#include "server/transport/listener.h"
#include "signet/status.h"

namespace signet {

class UnreadResponses {
 public:
  // Counts one response from construction to destruction.
  class Ticket;

  UnreadResponses(Listener& listener, int64_t max_bytes, int64_t max_connection_bytes);

  static constexpr size_t kSmallBytes = size_t{16} << 10;

  // Returns OK if a call may begin on the connection of `context`. Costs one relaxed load while the
  // unread responses are far from the limits.
  template <class Context>
  Status CheckRoom(const Context& context) const {
    if (IsFarFromLimits()) return absl::OkStatus();
    return CheckRoomOn(*ConnectionOf(context.peer()));
  }

  // Counts a response of `size` bytes until the returned ticket is destroyed. The ticket of a small
  // response is null.
  template <class Context>
  StatusOr<std::shared_ptr<void>> Admit(const Context& context, size_t size) {
    if (size < kSmallBytes) return std::shared_ptr<void>();
    return AdmitTo(ConnectionOf(context.peer()), static_cast<int64_t>(size));
  }

  // Do the same for a connection of the HTTP server.
  Status CheckRoomOf(const Connection& connection) const {
    return IsFarFromLimits() ? absl::OkStatus() : CheckRoomOn(connection);
  }
  StatusOr<std::shared_ptr<void>> AdmitOn(const std::shared_ptr<Connection>& connection,
                                          size_t size) {
    if (size < kSmallBytes) return std::shared_ptr<void>();
    return AdmitTo(connection, static_cast<int64_t>(size));
  }

  int64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  bool IsFarFromLimits() const {
    const int64_t bytes = bytes_.load(std::memory_order_relaxed);
    return bytes < max_connection_bytes_ && bytes < max_bytes_;
  }
  Status CheckRoomOn(const Connection& connection) const;
  StatusOr<std::shared_ptr<void>> AdmitTo(std::shared_ptr<Connection> connection, int64_t size);
  std::shared_ptr<Connection> ConnectionOf(std::string_view peer) const;

  const Listener& listener_;
  const int64_t max_bytes_;
  const int64_t max_connection_bytes_;
  const std::shared_ptr<Connection> unnamed_;  // counts all connections of unix sockets
  std::atomic<int64_t> bytes_{0};
};

}  // namespace signet
