// RunControlStep: runs a `switch` or `loop` step of a plan, whose bodies are plans as well.
//
// A body uses tensors of the outer frame without copies, and its results own their memory. A loop
// checks the deadline, the cancellation, and its budget in every iteration. Thread-safe.
// body does. Thread-safe.

#pragma once

#include "core/graph/plan/plan.h"
#include "core/runtime/frame.h"
#include "core/runtime/run_control.h"
#include "signet/value.h"

namespace signet {

// Returns the outputs of `step`. `control` has a budget. `inputs` are the inputs of the node; an
// input that was left out has no value.
StatusOr<Components> RunControlStep(const ControlStep& step, Frame& frame,
                                    std::span<const Tensor* const> inputs,
                                    const RunControl& control);

}  // namespace signet
