// Flat runner: runs a flat graph node by node, without a plan: what the Evaluator does with loops,
// and what tests compare plans with.
//
// A kernel is made for each node each time, and memory taken from the heap: plain, and slow.
// Stateless; thread-safe.

#pragma once

#include <span>

#include "core/graph/flat/run_kernel.h"
#include "core/graph/flat/run_loop.h"

namespace signet {

struct FlatRun {
  RunBudget& budget;
  absl::FunctionRef<Status()>
      check;  // called before each node and round, and within kernels, from any thread
  Parallel& parallel = SerialParallel();
};

// The graph's results, for inputs that are below the types of its edges.
StatusOr<Components> RunFlatGraph(const FlatGraph& graph, std::span<const Tensor* const> inputs,
                                  const FlatRun& run);

}  // namespace signet
