// Control step: the run of a `switch` or a `loop` of a plan: plans within the plan.
//
// A body takes tensors of the outer frame without copying them, and its results own their memory.
// A loop asks for the deadline, the cancellation and its budget in every round, however little the
// body does. Thread-safe.

#pragma once

#include "core/graph/plan/plan.h"
#include "core/runtime/frame.h"
#include "core/runtime/run_control.h"
#include "signet/value.h"

namespace signet {

// The outputs of `step`; `control` has a budget. `inputs` are those of the node, without
// value where left out.
StatusOr<Components> RunControlStep(const ControlStep& step, Frame& frame,
                                    std::span<const Tensor* const> inputs,
                                    const RunControl& control);

}  // namespace signet
