#include "core/runtime/control_step.h"

#include "core/graph/flat/run_loop.h"
#include "core/runtime/executor.h"

namespace signet {

StatusOr<Components> RunControlStep(const ControlStep& step, Frame& frame,
                                    std::span<const Tensor* const> inputs,
                                    const RunControl& control) {
  auto run = [&](size_t body, std::span<const Tensor* const> given) {
    return RunPlan(*step.bodies[body], frame.body(step.first_body + body), given, control);
  };
  if (!step.loop) return RunSwitch(step.bodies.size(), inputs, run);
  auto check = [&] { return control.Check(); };
  return RunLoop({*step.loop, step.pieces, step.num_nodes + 1, *control.budget, check}, inputs,
                 run);
}

}  // namespace signet
