// FmaPeak: the most float32 operations a second that one thread of this processor does, by
// instruction set: a loop of independent multiply-adds in registers. What a matrix product is held
// against.

#pragma once

#include "bench/measure.h"
#include "core/kernels/simd/vector/isa_level.h"

namespace signet {

// In GFLOP/s; a multiply-add counts as two.
double FmaPeak(const BenchOptions& options, IsaLevel level);

}  // namespace signet
