// RunControl: the deadline, cancellation, budget, and threads of a run.
//
// Deferral: stops a call on a thread that it must not block, and says where it can continue.
//
// A server starts a call on the thread that received it and that must soon receive other calls. On
// that thread, the call must not build a concrete function, and its run must be short. Otherwise,
// it stops with `must_move` or `must_make`, and is started again on another thread. A call also
// does not wait for a concrete function that another thread is building. It stops with `awaited`,
// and is started again when the function is done. Kernels have no side effects, so the second start
// gives the same result.

#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>

#include "core/graph/flat/run_budget.h"
#include "core/kernels/def/kernel.h"
#include "signet/status.h"

namespace signet {

class PendingTarget;
class RunProfile;

struct Deferral {
  bool may_make = true;        // concrete functions, on this thread
  bool must_be_short = false;  // run, decoding, and encoding, on this thread
  bool must_make = false;      // out: the call needs a thread that may make a concrete function
  bool must_move = false;      // out: the call needs a thread that may take long
  std::shared_ptr<PendingTarget> awaited = {};  // out: the function that the call waits for
  bool shares_error = false;  // out: if `awaited` fails, its error is the error of the call
  // out: the call waits for its result. The function calls its argument once, on a thread that may
  // take long, when the call can continue.
  std::function<void(std::function<void()> resume)> await_result = nullptr;

  // Returns true if the call has stopped. The status that it returned then has no meaning.
  bool is_stopped() const {
    return must_move || must_make || awaited != nullptr || await_result != nullptr;
  }
  // Stops the call, because it takes long.
  Status Move();
  // Stops the call, because it needs a new concrete function.
  Status LetMake();
};

struct RunControl {
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  const std::atomic<bool>* cancelled = nullptr;  // set from any thread
  Parallel* parallel = nullptr;                  // null: the calling thread only
  RunBudget* budget = nullptr;                   // of this call only; null: the run creates one
  Deferral* deferral = nullptr;                  // null: the call waits and never stops
  RunProfile* profile = nullptr;                 // receives the times of nodes (run_profile.h)

  // Returns DEADLINE_EXCEEDED or CANCELLED as soon as the call must end, and from then on. Called
  // between kernels, and several times per millisecond in kernels. Thread-safe.
  Status Check() const;
  // Returns true if only short operations are allowed on this thread.
  bool must_be_short() const { return deferral != nullptr && deferral->must_be_short; }
  // Returns true if the deferral has stopped the call. The result of the last step then has no
  // meaning.
  bool is_stopped() const { return deferral != nullptr && deferral->is_stopped(); }
  // Returns `budget_of_call`, or the limits of a short run.
  RunBudget Bounded(const RunBudget& budget_of_call) const;
};

}  // namespace signet
