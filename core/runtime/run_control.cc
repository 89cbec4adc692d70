#include "core/runtime/run_control.h"

namespace signet {

Status RunControl::Check() const {
  if (cancelled != nullptr && cancelled->load(std::memory_order_relaxed)) {
    return Cancelled("the call was cancelled");
  }
  if (deadline && std::chrono::steady_clock::now() >= *deadline) {
    return DeadlineExceeded("the call's deadline passed while it ran");
  }
  return absl::OkStatus();
}

RunBudget RunControl::Bounded(const RunBudget& budget_of_call) const {
  return must_be_short() ? budget_of_call.ForShortRun(&deferral->must_move) : budget_of_call;
}

Status Deferral::Move() {
  must_move = true;
  return Unavailable("the call goes on on a compute thread");
}

Status Deferral::LetMake() {
  must_make = true;
  return Unavailable("the call goes on on a thread that makes concrete functions");
}

}  // namespace signet
