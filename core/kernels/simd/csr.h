// CsrTable: products of rows of compressed matrices and dense matrices, over plain arrays.

#pragma once

#include <cstdint>

#include "core/kernels/simd/vector/dtypes.h"
#include "core/kernels/simd/vector/isa_level.h"
#include "core/kernels/simd/vector/stop_hook.h"

namespace signet {

// Computes out[j] = the sum of values[e] * dense[columns[e]][j] over `count` entries, for j <
// width. The rows of `dense` are contiguous. Half-width floats are added in float32 and rounded
// once. Returns early if `hook` stops.
using CsrRow = void (*)(const void* values, const int64_t* columns, int64_t count,
                        const void* dense, int64_t width, void* out, const StopHook& hook);

struct CsrTable {
  CsrRow by_dtype[kNumDTypes];
};
SIGNET_ISA_TABLE(CsrTable);

}  // namespace signet
