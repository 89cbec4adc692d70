// Int8ConvTable: loops of 8-bit integer convolutions except matrix products, over plain arrays.

#pragma once

#include <cstdint>

#include "core/kernels/simd/vector/isa_level.h"

namespace signet {

struct Int8ConvTable {
  // Computes out[column][row] = x[row][column] for bytes.
  void (*transpose)(const void* x, int64_t rows, int64_t columns, void* out);
  // Computes out[column * stride + row] = x[row][column] + bias[column]. `bias` may be null.
  void (*scatter)(const int32_t* x, int64_t rows, int64_t columns, const int32_t* bias,
                  int32_t* out, int64_t stride);
  // Computes sums[i] += (x[i * step] - zero) * weight for `n` bytes, signed or unsigned.
  void (*add)(const void* x, bool is_signed, int64_t step, int32_t zero, int32_t weight,
              int32_t* sums, int64_t n);
};
SIGNET_ISA_TABLE(Int8ConvTable);

}  // namespace signet
