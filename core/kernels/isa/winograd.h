// Winograd's algorithm for 3x3 windows: 16 multiplications, instead of 36, for a tile of 2x2
// results, of inputs, weights and sums that are transformed.
//
// Tiles of 4x4 would take a quarter of the multiplications, but their sums are about six times less
// exact. A vector's lanes are tiles that are next to each other.

#pragma once

#include <cstdint>

#include "core/kernels/isa_level.h"

namespace signet {

inline constexpr int64_t kWinogradTile = 2;                  // results, along a dimension
inline constexpr int64_t kWinogradSize = kWinogradTile + 2;  // elements that they need
inline constexpr int64_t kWinogradElements = kWinogradSize * kWinogradSize;

struct WinogradTable {
  // Element (r, c) of `columns` tiles is at from[offsets[r * 4 + c] + column]. The transformed
  // element i goes to out[i * stride + column].
  void (*input)(const float* from, const int64_t* offsets, int64_t columns, int64_t stride,
                float* out);
  // The sums' element i is at from[i * stride + column]; row i of the results goes to out[i *
  // row_stride], two elements a column.
  void (*output)(const float* from, int64_t stride, int64_t columns, float* out,
                 int64_t row_stride);
  // One 3x3 window to 16 numbers.
  void (*weights)(const float* window, float* out);
};
SIGNET_ISA_TABLE(WinogradTable);

}  // namespace signet
