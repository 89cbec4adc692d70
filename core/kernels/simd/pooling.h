// PoolTable: pooling over plain arrays. Row functions combine each element of `out` with one
// element of `x`, with distance `stride`. Plane functions for float32 first combine rows, and then
// the columns of each window.

#pragma once

#include <cstdint>

#include "core/kernels/simd/vector/dtypes.h"
#include "core/kernels/simd/vector/isa_level.h"

namespace signet {

using PoolRowFn = void (*)(const void* x, int64_t stride, int64_t n, void* out);

// The windows of `rows` lines with distance `pitch`. A window has `kernel` elements with distance
// `dilation`.
struct PoolLines {
  const float* lines;  // up to 2 * lanes * stride more elements may be read
  int64_t pitch;
  int64_t rows;
  int64_t kernel;
  int64_t dilation;
  int64_t stride;
  int64_t width;  // windows per row
  float* out;     // [rows][width]
};

struct PoolPlaneFns {
  // Combines `initial` and the rows: line[i] for i < n.
  void (*join_rows)(const float* const* rows, int64_t num_rows, int64_t n, float initial,
                    float* line);
  void (*slide)(const PoolLines& lines);
};

struct PoolTable {
  int64_t lanes;
  PoolPlaneFns max_planes;
  PoolPlaneFns sum_planes;
  PoolRowFn max[kNumDTypes];  // integers, float32, and float64
  PoolRowFn sum[kNumDTypes];  // float32 and float64
};
SIGNET_ISA_TABLE(PoolTable);

}  // namespace signet
