// Running one kernel by itself, on the heap: what folding does, and tests.

#pragma once

#include <vector>

#include "core/kernels/kernel.h"

namespace signet {

// The outputs of `call`, whose inputs are all known (or left out), on the calling thread.
StatusOr<std::vector<Tensor>> RunKernelOnce(const OpCall& call, std::span<const TypeSpec> outputs);

// One thread: the calling one.
Parallel& SerialParallel();

}  // namespace signet
