// Run loop: what running a control node means, whatever runs the bodies: plans (core/runtime), or
// flat graphs node by node (flat_runner.h). Stateless; thread-safe.

#pragma once

#include <span>
#include <vector>

#include <absl/functional/function_ref.h>

#include "core/graph/flat/control_nodes.h"
#include "core/graph/flat/run_budget.h"
#include "signet/value.h"

namespace signet {

using RunBody =
    absl::FunctionRef<StatusOr<Components>(size_t body, std::span<const Tensor* const> inputs)>;

// `inputs` are those of the node; one without value was left out. The outputs of a body own their
// memory, or share that of its inputs.
StatusOr<Components> RunSwitch(size_t num_bodies, std::span<const Tensor* const> inputs,
                               RunBody run);

// What a loop carries and has collected counts as held, and what a round leaves behind beside that
// as given back.
struct LoopRun {
  const LoopForm& form;
  std::span<const TypeSpec> pieces;  // what one round collects
  int64_t steps;                     // that a round takes from the budget
  RunBudget& budget;
  absl::FunctionRef<Status()> check;  // asked before each round
};
StatusOr<Components> RunLoop(const LoopRun& loop, std::span<const Tensor* const> inputs,
                             RunBody run);

}  // namespace signet
