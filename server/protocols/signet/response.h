// AdmitResponse: converts a response to the message that gRPC sends. Thread-safe.

#pragma once

#include <grpcpp/server_context.h>
#include <grpcpp/support/byte_buffer.h>

#include "core/formats/signet_wire/wire.h"
#include "server/call/serving.h"

namespace signet {

// Returns RESOURCE_EXHAUSTED if the response is larger than the limit, or if the client leaves too
// many responses unread. The response counts as unread until gRPC has sent it.
StatusOr<grpc::ByteBuffer> AdmitResponse(ServerContext& server,
                                         const grpc::CallbackServerContext& context,
                                         wire::Pieces pieces);

}  // namespace signet
