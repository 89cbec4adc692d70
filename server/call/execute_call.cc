#include "server/call/execute_call.h"

#include <utility>

namespace signet {

void ExecuteCall(ServerContext& server, CallRequest request, const RunControl& control,
                 ThreadKind thread, std::function<void(StatusOr<CallOutput>)> answer) {
  auto call = Guarded([&] { return BindCall(server.repository, std::move(request)); });
  if (!call.ok()) return answer(std::move(call).status());
  auto batcher = server.batching.BatcherOf(call->called.model, *call->called.function);
  RunWork(server, CallExecution(*std::move(call), server.limits, std::move(batcher)), control,
          thread, std::move(answer));
}

}  // namespace signet
