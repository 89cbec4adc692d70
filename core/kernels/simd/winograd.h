// WinogradTable: Winograd's algorithm for 3x3 windows. It transforms inputs, weights, and sums, and
// then needs 16 multiplications instead of 36 for a tile of 2x2 results, or 36 instead of 144 for a
// tile of 4x4 results.
//
// Tiles of 4x4 use the points 0, 5/8, -5/8, 3/2, -3/2, and infinity, for which the sums are about
// as exact as plain sums; the usual points 1 and 2 lose several more bits. The lanes of a vector
// are tiles, in *quads* of four adjacent tiles, so that narrow planes fill vectors, too.

#pragma once

#include <cstdint>

#include "core/kernels/simd/vector/isa_level.h"

namespace signet {

// Four adjacent tiles.
struct WinogradQuad {
  int64_t from;    // where the window of the quad begins, in a plane with blanks
  int64_t to;      // where the results of the quad begin, in a plane of results
  int64_t width;   // of the results that exist; may be 0
  int64_t height;  //
};

// The output of one channel, and the operations on it.
struct WinogradResult {
  float* out;
  int64_t row_stride;
  const float* residual;  // same layout as `out`; may be null
  float bias;
  bool clips;
  float low;
  float high;
};

struct WinogradForm {
  int64_t tile;      // results along one dimension
  int64_t elements;  // elements of a transformed tile
  // Transforms the tiles of a vector, whose windows are in `plane`. Transformed element i is
  // written to out[i * stride]. Reads up to 24 elements after a row of a window.
  void (*input)(const float* plane, int64_t row_stride, const WinogradQuad* quads, int64_t stride,
                float* out);
  // Transforms the sums of the tiles of a vector. Element i of the sums is at sums[i * stride].
  void (*output)(const float* sums, int64_t stride, const WinogradQuad* quads,
                 const WinogradResult& result);
  // Transforms one 3x3 window.
  void (*weights)(const float* window, float* out);
};

inline constexpr int64_t kMostWinogradElements = 36;
inline constexpr int64_t kWinogradSlack = 32;  // floats after a plane that may be read

struct WinogradTable {
  WinogradForm forms[2];
};
SIGNET_ISA_TABLE(WinogradTable);

}  // namespace signet
