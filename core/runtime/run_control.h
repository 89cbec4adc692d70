// RunControl: what may stop or widen a run: its deadline, its cancellation, and the threads it
// uses.
//
// Deferral: lets a call stop on a thread that it must not hold up, and go on elsewhere.
//
// A server starts a call on the thread that received it, which has other calls to receive. There
// the call must not make a concrete function, and its run must be short; otherwise it stops with
// `must_move` or `must_make`, and is started again on another thread. Nor does a call wait on any
// thread for a concrete function that another thread is making: it stops with `awaited`, and is
// started again when that is done. Kernels have no side effects, so starting again gives the same
// result.

#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>

#include "core/graph/flat/run_budget.h"
#include "core/kernels/def/kernel.h"
#include "signet/status.h"

namespace signet {

class PendingTarget;

struct Deferral {
  bool may_make = true;        // concrete functions on this thread
  bool must_be_short = false;  // on this thread: the run, decoding and encoding
  bool must_make = false;      // out: the call needs a thread that may make a concrete function
  bool must_move = false;      // out: the call needs a thread that may take long
  // Out: the concrete function that the call waits for, and whether a failure to make it is the
  // call's own error.
  std::shared_ptr<PendingTarget> awaited = {};
  bool shares_error = false;

  // The call has stopped; the status that it returned has no meaning.
  bool is_stopped() const { return must_move || must_make || awaited != nullptr; }
  // Stops the call, which takes long.
  Status Move();
  // Stops the call, which needs a concrete function.
  Status LetMake();
};

struct RunControl {
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  const std::atomic<bool>* cancelled = nullptr;  // set from any thread
  Parallel* parallel = nullptr;                  // null: the calling thread only
  RunBudget* budget = nullptr;                   // of this call only; null: one is made for it
  Deferral* deferral = nullptr;                  // null: the call never stops, but waits

  // Returns DEADLINE_EXCEEDED or CANCELLED, and from then on, once the call must end. Checked
  // between kernels, and within them several times per millisecond. Thread-safe.
  Status Check() const;
  // Whether this thread may only do what is short.
  bool must_be_short() const { return deferral != nullptr && deferral->must_be_short; }
  // Whether the deferral has stopped the call, so that what the last step returned has no meaning.
  bool is_stopped() const { return deferral != nullptr && deferral->is_stopped(); }
  // `budget_of_call`, or the limits of a short run.
  RunBudget Bounded(const RunBudget& budget_of_call) const;
};

}  // namespace signet
