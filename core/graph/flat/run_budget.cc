#include "core/graph/flat/run_budget.h"

namespace signet {

namespace {

// A short run: long enough for small calls, too short for other callers of the thread to notice.
constexpr double kShortNanoseconds = 500'000;
constexpr std::chrono::milliseconds kShortTime(2);  // if estimates are wrong
constexpr int64_t kShortBytes = int64_t{1} << 20;
constexpr int64_t kShortSteps = 2'000;

}  // namespace

RunBudget RunBudget::ForShortRun(bool* was_exceeded) const {
  RunBudget budget = *this;
  budget.max_steps = std::min(max_steps, kShortSteps);
  budget.max_bytes = std::min(max_bytes, kShortBytes);
  budget.max_nanoseconds = kShortNanoseconds;
  budget.exceeded = was_exceeded;
  budget.end = std::chrono::steady_clock::now() + kShortTime;
  return budget;
}

Status RunBudget::TakeNanoseconds(double more) {
  nanoseconds += more;
  if (nanoseconds <= max_nanoseconds) return absl::OkStatus();
  if (exceeded != nullptr) *exceeded = true;
  return ResourceExhausted("the kernels of the call need about ",
                           static_cast<int64_t>(std::min(nanoseconds, 1e18)),
                           " ns, which is too long for a short run");
}

Status RunBudget::CheckShortRun() const {
  bool goes_on = exceeded == nullptr || std::chrono::steady_clock::now() < end;
  if (goes_on) return absl::OkStatus();
  return ResourceExhausted("a kernel of the call is too long for a short run");
}

Status RunBudget::EndShortRun() {
  if (exceeded != nullptr) *exceeded = true;
  return ResourceExhausted("a kernel of the call is too long for a short run");
}

Status RunBudget::TakeSteps(int64_t more) {
  steps += more;
  if (steps <= max_steps) return absl::OkStatus();
  if (exceeded != nullptr) *exceeded = true;
  return ResourceExhausted("the call's loops take more than ", max_steps,
                           " steps, which is the limit (--max_loop_steps)");
}

Status RunBudget::TooManyBytes(size_t more) const {
  if (exceeded != nullptr) *exceeded = true;
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
