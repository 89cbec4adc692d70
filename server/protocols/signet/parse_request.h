// ParseSmallRequest: parses a request that contains no tensors. Thread-safe.

#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/proto_buffer_reader.h>

#include "server/call/serving.h"

namespace signet {

// Returns the request in `received`, which may be compressed. RESOURCE_EXHAUSTED for a request that
// is as large as one with tensors.
template <class Request>
StatusOr<Request> ParseSmallRequest(const ServerContext& server, const grpc::ByteBuffer& received) {
  SIGNET_RETURN_IF_ERROR(server.expander.Expand(received));
  const auto& name = Request::descriptor()->full_name();
  if (received.Length() > kSmallRequestBytes) {
    return ResourceExhausted("the message `", name, "` of ", received.Length(),
                             " bytes exceeds the limit of ", kSmallRequestBytes);
  }
  Request request;
  grpc::ProtoBufferReader reader(&const_cast<grpc::ByteBuffer&>(received));
  if (reader.status().ok() && request.ParseFromZeroCopyStream(&reader)) return request;
  return InvalidArgument("expected a serialized `", name,
                         "`, found bytes that do not parse; the message may be truncated");
}

}  // namespace signet
