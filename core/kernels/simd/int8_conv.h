// What convolutions of 8-bit integers do besides products of matrices, over plain arrays.

#pragma once

#include <cstdint>

#include "core/kernels/simd/vector/isa_level.h"

namespace signet {

struct Int8ConvTable {
  // out[column][row] = x[row][column], of bytes.
  void (*transpose)(const void* x, int64_t rows, int64_t columns, void* out);
  // out[column * stride + row] = x[row][column] + bias[column]; `bias` may be null.
  void (*scatter)(const int32_t* x, int64_t rows, int64_t columns, const int32_t* bias,
                  int32_t* out, int64_t stride);
  // sums[i] += (x[i * step] - zero) * weight, of `n` bytes, signed or not.
  void (*add)(const void* x, bool is_signed, int64_t step, int32_t zero, int32_t weight,
              int32_t* sums, int64_t n);
};
SIGNET_ISA_TABLE(Int8ConvTable);

}  // namespace signet
