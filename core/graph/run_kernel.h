// Running one kernel by itself, on the heap: what folding and the Evaluator do, and tests.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/kernels/kernel.h"

namespace signet {

// One thread: the calling one.
Parallel& SerialParallel();

// The outputs of `call`, whose inputs are all known (or left out). RESOURCE_EXHAUSTED when the
// kernel asks for more than `max_bytes` of memory.
StatusOr<std::vector<Tensor>> RunKernelOnce(const OpCall& call, std::span<const TypeSpec> outputs,
                                            Parallel& parallel = SerialParallel(),
                                            size_t max_bytes = SIZE_MAX);

}  // namespace signet
