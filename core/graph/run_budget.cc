#include "core/graph/run_budget.h"

namespace signet {

Status RunBudget::TakeSteps(int64_t more) {
  steps += more;
  if (steps <= max_steps) return absl::OkStatus();
  return ResourceExhausted("the call's loops take more than ", max_steps,
                           " steps, which is the limit (--max_loop_steps)");
}

Status RunBudget::TooManyBytes(size_t more) const {
  return ResourceExhausted(more, " bytes, with ", bytes, " held already; a call may hold ",
                           max_bytes, " at once (--max_call_bytes)");
}

int64_t BytesOf(const Components& tensors) {
  int64_t bytes = 0;
  for (const Tensor& tensor : tensors) bytes += static_cast<int64_t>(tensor.num_bytes());
  return bytes;
}

StatusOr<Tensor> OwnedWithin(RunBudget& budget, const Tensor& tensor) {
  if (tensor.data().is_owned() && tensor.bytes().is_owned()) return tensor;
  SIGNET_RETURN_IF_ERROR(budget.TakeBytes(tensor.num_bytes()));
  return tensor.Owned();
}

}  // namespace signet
