// One row of float32 and a small matrix that is packed, over plain arrays.

#pragma once

#include <cstdint>

#include "core/kernels/simd/vector/isa_level.h"

namespace signet {

// Widths of packed matrices are multiples of this; what is added to them is 0.
inline constexpr int64_t kSmallMatrixLanes = 16;

// out[j] of x[k], j < n, of a matrix whose rows are `stride` apart.
using RowByMatrix = void (*)(const float* x, const float* matrix, int64_t k, int64_t n,
                             int64_t stride, float* out);

struct SmallMatrixTable {
  RowByMatrix products;   // sums of x[i] * matrix[i][j]
  RowByMatrix dots;       // sums of x[i] * matrix[j][i], the matrix being wider than x
  RowByMatrix distances;  // sums of (x[i] - matrix[i][j])^2
};
SIGNET_ISA_TABLE(SmallMatrixTable);

}  // namespace signet
