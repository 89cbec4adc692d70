#include "server/protocols/signet/response.h"

#include <utility>

#include "server/transport/byte_buffers.h"

namespace signet {

StatusOr<grpc::ByteBuffer> AdmitResponse(Serving& serving,
                                         const grpc::CallbackServerContext& context,
                                         wire::Pieces pieces) {
  const size_t size = SizeOf(pieces);
  const auto limit = static_cast<size_t>(serving.limits.message_bytes);
  if (size > limit) {
    return ResourceExhausted("the response takes ", size, " bytes; the limit is ", limit,
                             " (--max_message_bytes)");
  }
  SIGNET_ASSIGN_OR_RETURN(auto ticket, serving.unread.Admit(context, size));
  return ByteBufferOf(std::move(pieces), std::move(ticket));
}

}  // namespace signet
