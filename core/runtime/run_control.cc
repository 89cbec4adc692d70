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

}  // namespace signet
