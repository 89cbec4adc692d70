#include "server/call/execute_call.h"

#include <utility>

namespace signet {

void ExecuteCall(ServerContext& server, CallRequest request, const RunControl& control,
                 ThreadKind thread, ObservedCall& observed,
                 std::function<void(StatusOr<CallOutput>)> answer) {
  auto call = Guarded([&] { return BindCall(server.repository, std::move(request)); });
  observed.times.End(Stage::kBind);
  if (!call.ok()) return answer(std::move(call).status());
  server.observer.SetFunction(observed, call->called);
  call->times = &observed.times;
  RunWork(server, CallExecution(*std::move(call), server.limits), control, thread,
          std::move(answer));
}

}  // namespace signet
