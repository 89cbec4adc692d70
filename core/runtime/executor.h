// RunPlan: runs a plan step by step on the calling thread; a pool helps with large kernels.
//
// The deadline and the cancellation are checked between steps, and several times per millisecond
// during a step. Intermediate tensors use the memory of a reused frame, so under a steady load only
// results are allocated. All memory counts against the budget of the call before it is allocated.
// When the run ends, only the results still count. Thread-safe.

#pragma once

#include "core/graph/plan/plan.h"
#include "core/runtime/frame.h"
#include "core/runtime/run_control.h"
#include "signet/value.h"

namespace signet {

// `inputs` are the components that the graph of the plan expects, in order. Their types are
// subtypes of those that the plan was built for. The results own their memory.
StatusOr<Components> RunPlan(const Plan& plan, FramePool& frames,
                             std::span<const Tensor* const> inputs, const RunControl& control);

}  // namespace signet
