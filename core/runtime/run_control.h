// RunControl: what may stop or widen a run: its deadline, its cancellation, and the threads it
// uses.

#pragma once

#include <atomic>
#include <chrono>
#include <optional>

#include "core/base/status.h"
#include "core/graph/run_budget.h"
#include "core/kernels/kernel.h"

namespace signet {

struct RunControl {
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  const std::atomic<bool>* cancelled = nullptr;  // set from any thread
  Parallel* parallel = nullptr;                  // null: the calling thread only
  RunBudget* budget = nullptr;                   // of this call only; null: one is made for it

  // Returns DEADLINE_EXCEEDED or CANCELLED, and from then on, once the call must end. Checked
  // between kernels, and within them about once per millisecond. Thread-safe.
  Status Check() const;
};

}  // namespace signet
