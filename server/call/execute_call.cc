#include "server/call/execute_call.h"

#include <utility>

namespace signet {

void ExecuteCall(ServerContext& server, CallRequest request, const RunControl& control,
                 ThreadKind thread, std::function<void(StatusOr<CallOutput>)> answer) {
  auto call = Guarded([&] { return BindCall(server.repository, std::move(request)); });
  if (!call.ok()) return answer(std::move(call).status());
  RunWork(server, CallExecution(*std::move(call), server.limits), control, thread,
          std::move(answer));
}

}  // namespace signet
