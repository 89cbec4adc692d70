// Convolutions over plain arrays of float32 whose windows are read where they are: simd/conv.h says
// what columns and offsets are. Nothing is packed but weights, and sums go where they belong.

#pragma once

#include <cstdint>

#include "core/kernels/simd/vector/isa_level.h"

namespace signet {

struct DirectArguments {
  const float* weights;  // [k][rows]
  const float* bias;     // of the rows; may be null
  const float* from;
  const int64_t* offsets;  // of k
  int64_t k;
  int64_t columns;        // `lanes` or more
  const float* residual;  // [rows][stride], not `out`; may be null
  float* out;             // [rows][stride]
  int64_t stride;
  float low;  // what sums are clipped to
  float high;
};

struct DirectTable {
  int64_t rows;   // of a tile, the most; a power of two
  int64_t lanes;  // of a vector
  // out[i][j] = clipped sum of weights[l][i] * from[offsets[l] + j] + bias[i] + residual[i][j], of
  // `rows` rows, a power of two.
  void (*multiply)(int64_t rows, const DirectArguments& arguments);
  // `rows` rows of `width` at `from`, `stride` apart, one after the other. Up to a vector more is
  // read.
  void (*join)(const float* from, int64_t stride, int64_t rows, int64_t width, float* to);
};
SIGNET_ISA_TABLE(DirectTable);

}  // namespace signet
