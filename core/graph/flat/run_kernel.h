// Running one kernel by itself, on the heap: what folding and the Evaluator do, and tests.

#pragma once

#include <memory>
#include <vector>

#include <absl/functional/function_ref.h>

#include "core/graph/flat/run_budget.h"
#include "core/kernels/def/kernel.h"

namespace signet {

// One thread: the calling one.
Parallel& SerialParallel();

// A check that never ends a run.
Status NeverStop();

// The kernel that runs calls as `call` is.
StatusOr<std::unique_ptr<Kernel>> KernelFor(const OpCall& call, std::span<const TypeSpec> outputs);

// The outputs of `call`, whose inputs are all known (or left out). RESOURCE_EXHAUSTED when the
// kernel asks for more memory than `budget` has left; the outputs count as held. Null: no limit.
// The kernel calls `check` from time to time, from any thread, and ends with an error of it.
StatusOr<std::vector<Tensor>> RunKernelOnce(const OpCall& call, std::span<const TypeSpec> outputs,
                                            Parallel& parallel = SerialParallel(),
                                            RunBudget* budget = nullptr,
                                            absl::FunctionRef<Status()> check = NeverStop);
// The same, with its kernel.
StatusOr<std::vector<Tensor>> RunKernelOnce(const Kernel& kernel, const OpCall& call,
                                            std::span<const TypeSpec> outputs, Parallel& parallel,
                                            RunBudget* budget,
                                            absl::FunctionRef<Status()> check = NeverStop);

}  // namespace signet
