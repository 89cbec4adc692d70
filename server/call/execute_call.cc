#include "server/call/execute_call.h"

#include <utility>

namespace signet {

void ExecuteCall(ServerContext& server, CallRequest request, RunControl control, ThreadKind thread,
                 CallContext context, std::function<void(StatusOr<CallOutput>)> answer) {
  auto call = Guarded([&] { return BindCall(server.repository, std::move(request)); });
  if (!call.ok()) return answer(std::move(call).status());
  const std::shared_ptr<const LoadedModel> model = call->called.model;
  context.model = model->name();
  context.priority = server.scheduler.PriorityOfCall(context.model, context.requested);
  control.parallel = context.priority == Priority::kLow ? &server.low_pool : &server.pool;
  RunWork(server, CallExecution(*std::move(call), server.limits), control, thread,
          std::move(answer), context);
}

}  // namespace signet
