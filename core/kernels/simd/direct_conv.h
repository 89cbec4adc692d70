// DirectTable: convolutions over plain arrays of float32 that read windows in place. simd/conv.h
// defines columns and offsets. Only the weights are packed, and sums are written directly to the
// result.

#pragma once

#include <cstdint>

#include "core/kernels/simd/vector/isa_level.h"

namespace signet {

struct DirectArguments {
  const float* weights;  // [k][rows]
  const float* bias;     // [rows]; may be null
  const float* from;
  const int64_t* offsets;  // [k]
  int64_t k;
  int64_t columns;        // at least `lanes`
  const float* residual;  // [rows][stride], must differ from `out`; may be null
  float* out;             // [rows][stride]
  int64_t stride;
  float low;  // bounds to which sums are clipped
  float high;
};

struct DirectTable {
  int64_t rows;   // maximum rows per tile; a power of two
  int64_t lanes;  // lanes per vector
  // Computes out[i][j] = clipped sum of weights[l][i] * from[offsets[l] + j] + bias[i] +
  // residual[i][j], for `rows` rows, a power of two.
  void (*multiply)(int64_t rows, const DirectArguments& arguments);
  // Copies `rows` rows of `width` elements at `from`, with distance `stride`, next to each other.
  // Reads up to one vector more.
  void (*join)(const float* from, int64_t stride, int64_t rows, int64_t width, float* to);
};
SIGNET_ISA_TABLE(DirectTable);

}  // namespace signet
