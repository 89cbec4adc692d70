#include "server/call/execute_call.h"

#include <utility>

namespace signet {

void ExecuteCall(Serving& serving, CallRequest request, const RunControl& control,
                 ThreadKind thread, std::function<void(StatusOr<CallOutput>)> answer) {
  auto call = Guarded([&] { return BindCall(serving.repository, std::move(request)); });
  if (!call.ok()) return answer(std::move(call).status());
  CarryOutWork(serving, CallExecution(*std::move(call), serving.limits), control, thread,
               std::move(answer));
}

}  // namespace signet
