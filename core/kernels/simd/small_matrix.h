// SmallMatrixTable: products of one row of float32 and a small packed matrix, over plain arrays.

#pragma once

#include <cstdint>

#include "core/kernels/simd/vector/isa_level.h"

namespace signet {

// Widths of packed matrices are padded with 0 to multiples of this number.
inline constexpr int64_t kSmallMatrixLanes = 16;

// Computes out[j] for j < n from x[k] and a matrix whose rows have distance `stride`.
using RowByMatrix = void (*)(const float* x, const float* matrix, int64_t k, int64_t n,
                             int64_t stride, float* out);

struct SmallMatrixTable {
  RowByMatrix products;   // sums of x[i] * matrix[i][j]
  RowByMatrix dots;       // sums of x[i] * matrix[j][i]; the matrix is wider than x
  RowByMatrix distances;  // sums of (x[i] - matrix[i][j])^2
};
SIGNET_ISA_TABLE(SmallMatrixTable);

}  // namespace signet
