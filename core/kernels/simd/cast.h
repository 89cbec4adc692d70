// CastTable: conversions between dtypes over plain arrays.

#pragma once

#include <cstdint>

#include "core/kernels/simd/vector/dtypes.h"
#include "core/kernels/simd/vector/isa_level.h"

namespace signet {

using CastFn = void (*)(const void* x, void* out, int64_t n);

struct CastTable {
  // Conversions by the dtypes of `x` and `out`, which do not overlap. From float to integer, rounds
  // toward zero and saturates; NaN is converted to 0. From float to a narrower float, rounds to
  // nearest, and half-way cases to even. From integer to integer, keeps the low bits. From complex,
  // keeps the real part.
  CastFn convert[kNumDTypes][kNumDTypes];
};
SIGNET_ISA_TABLE(CastTable);

}  // namespace signet
