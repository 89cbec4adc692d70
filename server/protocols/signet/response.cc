#include "server/protocols/signet/response.h"

#include <utility>

#include "server/transport/byte_buffers.h"

namespace signet {

StatusOr<grpc::ByteBuffer> AdmitResponse(ServerContext& server,
                                         const grpc::CallbackServerContext& context,
                                         wire::Pieces pieces) {
  const size_t size = SizeOf(pieces);
  const auto limit = static_cast<size_t>(server.limits.message_bytes);
  if (size > limit) {
    return ResourceExhausted("the response of ", size, " bytes exceeds the limit of ", limit,
                             " (--max_message_bytes)");
  }
  SIGNET_ASSIGN_OR_RETURN(auto ticket, server.unread.Admit(context, size));
  return ByteBufferOf(std::move(pieces), std::move(ticket));
}

}  // namespace signet
