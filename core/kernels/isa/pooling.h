// Rows of pooling over plain arrays: each element of `out` takes in one of `x`, `stride` apart.

#pragma once

#include <cstdint>

#include "core/kernels/isa/dtypes.h"
#include "core/kernels/isa_level.h"

namespace signet {

using PoolRowFn = void (*)(const void* x, int64_t stride, int64_t n, void* out);

struct PoolTable {
  PoolRowFn max[kNumDTypes];  // of integers, float32 and float64
  PoolRowFn sum[kNumDTypes];  // of float32 and float64
};
SIGNET_ISA_TABLE(PoolTable);

}  // namespace signet
