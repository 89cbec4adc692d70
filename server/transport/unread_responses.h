// UnreadResponses: bounds the bytes of responses that gRPC holds until clients read them.
//
// gRPC keeps a response until the client's flow control lets it leave. A client that makes calls
// with large results and reads none of them would fill the memory. The rules:
//   1. The unread responses of one connection, and those of all connections, have a limit each. A
//      response that exceeds a limit is replaced by RESOURCE_EXHAUSTED (reason RESPONSES_UNREAD).
//      A connection without unread responses may exceed its own limit by one response.
//   2. While a limit is reached, new calls are rejected before they run.
//   3. Responses below 16 KiB are not counted: --max_concurrent_calls bounds them.
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
    int64_t bytes = bytes_.load(std::memory_order_relaxed);
    if (bytes < max_connection_bytes_ && bytes < max_bytes_) return absl::OkStatus();
    return CheckRoomOf(context.peer(), 0);
  }

  // Counts a response of `size` bytes until the ticket is gone. The ticket is null for a small
  // response.
  template <class Context>
  StatusOr<std::shared_ptr<void>> Admit(const Context& context, size_t size) {
    if (size < kSmallBytes) return std::shared_ptr<void>();
    return AdmitTo(context.peer(), static_cast<int64_t>(size));
  }

  int64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }

 private:
  Status CheckRoomOf(std::string_view peer, int64_t size) const;
  StatusOr<std::shared_ptr<void>> AdmitTo(std::string_view peer, int64_t size);
  std::shared_ptr<Connection> ConnectionOf(std::string_view peer) const;

  const Listener& listener_;
  const int64_t max_bytes_;
  const int64_t max_connection_bytes_;
  const std::shared_ptr<Connection> unnamed_;  // of all unix sockets
  std::atomic<int64_t> bytes_{0};
};

}  // namespace signet
