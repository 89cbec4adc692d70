// Rows of compressed matrices times dense ones, over plain arrays.

#pragma once

#include <cstdint>

#include "core/kernels/isa/dtypes.h"
#include "core/kernels/isa/stop_hook.h"
#include "core/kernels/isa_level.h"

namespace signet {

// out[j] = the sum of values[e] * dense[columns[e]][j] over `count` entries, j < width. The rows of
// `dense` are contiguous. Half-width floats are added up in float32 and rounded once. Returns early
// if `hook` stops.
using CsrRow = void (*)(const void* values, const int64_t* columns, int64_t count,
                        const void* dense, int64_t width, void* out, const StopHook& hook);

struct CsrTable {
  CsrRow by_dtype[kNumDTypes];
};
SIGNET_ISA_TABLE(CsrTable);

}  // namespace signet
