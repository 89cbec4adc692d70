// Executor: runs plans, step by step on the calling thread; large kernels spread over a pool.
//
// Between steps, and several times per millisecond within them, it checks the deadline and the
// cancellation. Memory of intermediates comes from a
// reused frame: a steady load allocates nothing but results. All of it counts against the call's
// budget before it is taken: the results still when they leave, the rest no more. Thread-safe.

#pragma once

#include "core/graph/plan/plan.h"
#include "core/runtime/frame.h"
#include "core/runtime/run_control.h"
#include "signet/value.h"

namespace signet {

// `inputs` are the components that the plan's graph takes, in order; their types are below those it
// was made for. The results own their memory.
StatusOr<Components> RunPlan(const Plan& plan, FramePool& frames,
                             std::span<const Tensor* const> inputs, const RunControl& control);

}  // namespace signet
