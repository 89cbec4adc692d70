// Conversions between dtypes over plain arrays.

#pragma once

#include <cstdint>

#include "core/kernels/simd/vector/dtypes.h"
#include "core/kernels/simd/vector/isa_level.h"

namespace signet {

using CastFn = void (*)(const void* x, void* out, int64_t n);

struct CastTable {
  // By the dtypes of `x` and `out`, which do not overlap. Toward zero and saturated from float to
  // integer, where NaN is 0; to nearest, half-way cases to even, from float to a narrower float;
  // the low bits from integer to integer; the real part from complex.
  CastFn convert[kNumDTypes][kNumDTypes];
};
SIGNET_ISA_TABLE(CastTable);

}  // namespace signet
