// Rows of pooling over plain arrays: each element of `out` takes in one of `x`, `stride` apart; and
// planes of float32, rows first: what windows take in of each column, then of those.

#pragma once

#include <cstdint>

#include "core/kernels/simd/vector/dtypes.h"
#include "core/kernels/simd/vector/isa_level.h"

namespace signet {

using PoolRowFn = void (*)(const void* x, int64_t stride, int64_t n, void* out);

// What windows have of `rows` lines, `pitch` apart: `kernel` elements, `dilation` apart.
struct PoolLines {
  const float* lines;  // may be read up to 2 * lanes * stride further
  int64_t pitch;
  int64_t rows;
  int64_t kernel;
  int64_t dilation;
  int64_t stride;
  int64_t width;  // windows of a row
  float* out;     // [rows][width]
};

struct PoolPlaneFns {
  // line[i] of `n`: `initial` and what is at i in each of the rows.
  void (*join_rows)(const float* const* rows, int64_t num_rows, int64_t n, float initial,
                    float* line);
  void (*slide)(const PoolLines& lines);
};

struct PoolTable {
  int64_t lanes;
  PoolPlaneFns max_planes;
  PoolPlaneFns sum_planes;
  PoolRowFn max[kNumDTypes];  // of integers, float32 and float64
  PoolRowFn sum[kNumDTypes];  // of float32 and float64
};
SIGNET_ISA_TABLE(PoolTable);

}  // namespace signet
