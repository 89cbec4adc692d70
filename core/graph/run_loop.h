// Run loop: what running a control node means, whatever runs the bodies: plans (core/runtime), or
// flat graphs node by node (flat_runner.h). Stateless; thread-safe.

#pragma once

#include <span>
#include <vector>

#include <absl/functional/function_ref.h>

#include "core/graph/control_nodes.h"
#include "core/values/value.h"

namespace signet {

// How far the loops of one call may go, all together. One thread.
struct LoopBudget {
  static constexpr int64_t kMaxSteps = 10'000'000;        // --max_loop_steps
  static constexpr int64_t kMaxBytes = int64_t{1} << 30;  // --max_expanded_bytes

  int64_t max_steps = kMaxSteps;  // each round takes one, and one for each node of the body
  int64_t max_bytes = kMaxBytes;  // that one loop carries and has collected
  int64_t steps = 0;              // taken

  // RESOURCE_EXHAUSTED, with the flag.
  Status Take(int64_t more);
};

using RunBody =
    absl::FunctionRef<StatusOr<Components>(size_t body, std::span<const Tensor* const> inputs)>;

// `inputs` are those of the node; one without value was left out. The outputs of a body own their
// memory, or share that of its inputs.
StatusOr<Components> RunSwitch(size_t num_bodies, std::span<const Tensor* const> inputs,
                               RunBody run);

struct LoopRun {
  const LoopForm& form;
  std::span<const TypeSpec> pieces;  // what one round collects
  int64_t steps;                     // that a round takes from the budget
  LoopBudget& budget;
  absl::FunctionRef<Status()> check;  // asked before each round
};
StatusOr<Components> RunLoop(const LoopRun& loop, std::span<const Tensor* const> inputs,
                             RunBody run);

}  // namespace signet
