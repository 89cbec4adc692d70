// RunLoop and RunSwitch: run a control node. The caller provides the function that runs a body:
// plans (core/runtime), or flat graphs node by node (flat_runner.h). Stateless; thread-safe.

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

// `inputs` are the inputs of the node; an omitted input has no value. The outputs of a body own
// their memory, or share the memory of its inputs.
StatusOr<Components> RunSwitch(size_t num_bodies, std::span<const Tensor* const> inputs,
                               RunBody run);

// The budget counts the carried and collected values as held. All other memory of a round is
// returned to the budget at the end of the round.
struct LoopRun {
  const LoopForm& form;
  std::span<const TypeSpec> pieces;  // types of the values that one round collects
  int64_t steps;                     // steps of one round in the budget
  RunBudget& budget;
  absl::FunctionRef<Status()> check;  // called before each round
};
StatusOr<Components> RunLoop(const LoopRun& loop, std::span<const Tensor* const> inputs,
                             RunBody run);

}  // namespace signet
