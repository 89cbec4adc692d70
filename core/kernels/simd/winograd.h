// Winograd's algorithm for 3x3 windows: 16 multiplications, instead of 36, for a tile of 2x2
// results, or 36, instead of 144, for one of 4x4, of inputs, weights and sums that are transformed.
//
// Tiles of 4x4 are made at the points 0, 5/8, -5/8, 3/2 and -3/2 and infinity, where their sums are
// about as exact as those of plain sums: the usual 1 and 2 lose some bits more. A vector's lanes
// are tiles, in *quads* of four that are next to each other, so that narrow planes fill vectors
// too.

#pragma once

#include <cstdint>

#include "core/kernels/simd/vector/isa_level.h"

namespace signet {

// Four tiles side by side.
struct WinogradQuad {
  int64_t from;    // where its window begins, in a plane with its blanks
  int64_t to;      // where its results begin, in theirs
  int64_t width;   // of the results that are there; may be 0
  int64_t height;  //
};

// Where the results of one channel go, and what is done to them.
struct WinogradResult {
  float* out;
  int64_t row_stride;
  const float* residual;  // as `out`; may be null
  float bias;
  bool clips;
  float low;
  float high;
};

struct WinogradForm {
  int64_t tile;      // results, along a dimension
  int64_t elements;  // of a transformed tile
  // The tiles of a vector, whose windows are in `plane`; transformed element i goes to out[i *
  // stride]. Up to 24 elements are read behind a window's row.
  void (*input)(const float* plane, int64_t row_stride, const WinogradQuad* quads, int64_t stride,
                float* out);
  // The tiles of a vector, whose sums' element i is at sums[i * stride].
  void (*output)(const float* sums, int64_t stride, const WinogradQuad* quads,
                 const WinogradResult& result);
  // One 3x3 window.
  void (*weights)(const float* window, float* out);
};

inline constexpr int64_t kMostWinogradElements = 36;
inline constexpr int64_t kWinogradSlack = 32;  // floats behind a plane that may be read

struct WinogradTable {
  WinogradForm forms[2];
};
SIGNET_ISA_TABLE(WinogradTable);

}  // namespace signet
