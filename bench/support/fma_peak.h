// FmaPeak: measures the maximum number of float32 operations per second of one thread of this
// processor, by instruction set, with a loop of independent multiply-adds in registers. Matrix
// products are compared with this number.

#pragma once

#include "bench/measure.h"
#include "core/kernels/simd/vector/isa_level.h"

namespace signet {

// Returns GFLOP/s; a multiply-add counts as two operations.
double FmaPeak(const BenchOptions& options, IsaLevel level);

}  // namespace signet
