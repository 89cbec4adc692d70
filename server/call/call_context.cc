#include "server/call/call_context.h"

namespace signet {

StatusOr<CallContext> CallContextOf(const grpc::CallbackServerContext& context, size_t bytes) {
  CallContext out{.bytes = bytes, .arrival = std::chrono::steady_clock::now()};
  const auto& metadata = context.client_metadata();
  auto found = metadata.find(kPriorityMetadata);
  if (found == metadata.end()) return out;
  auto priority = ParsePriority({found->second.data(), found->second.size()});
  SIGNET_RETURN_IF_ERROR(At("metadata `signet-priority`", priority.status()));
  out.requested = *priority;
  return out;
}

}  // namespace signet
