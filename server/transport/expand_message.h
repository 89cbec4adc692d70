// MessageExpander: expands the messages that a client has compressed with `grpc-encoding`.
//
// gRPC would expand a whole message before it checks the size, so a few bytes could become
// gigabytes. The server therefore disables gRPC's expansion
// (GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION), and expands messages here, with the same limits as
// for other messages. Thread-safe.

#pragma once

#include <cstddef>
#include <memory>

#include <grpcpp/support/byte_buffer.h>

#include "server/transport/byte_budget.h"
#include "signet/status.h"

namespace signet {

class MessageExpander {
 public:
  // `message_bytes` limits one expanded message, and `total_bytes` all that are in use.
  MessageExpander(size_t message_bytes, size_t total_bytes)
      : message_bytes_(message_bytes), budget_(std::make_shared<ByteBudget>(total_bytes)) {}

  // Replaces a compressed message by its expanded bytes. Other messages stay as they are.
  // `received` is const only because gRPC passes requests to services in this way.
  // RESOURCE_EXHAUSTED above a limit; INVALID_ARGUMENT if the message is not what it states, or
  // if the call ended before a whole message, which gRPC passes on without bytes.
  Status Expand(const grpc::ByteBuffer& received) const;

 private:
  const size_t message_bytes_;
  const std::shared_ptr<ByteBudget> budget_;
};

}  // namespace signet
