// Convolutions over plain arrays of float32: products of packed matrices, and what stands around
// them.
//
// The input's elements are laid out so that a window of any stride becomes shifts of whole planes:
// a channel is split into *phases*, one for each remainder of the position (with its blanks)
// divided by the stride. In each phase the windows are next to each other; element (kd, kh, kw) of
// window n is element `n + offset(kd, kh, kw)`. A *column* is a window, counted over the width of a
// phase: those that hang over a row's end are computed and thrown away.

#pragma once

#include <cstdint>

#include "core/kernels/isa_level.h"

namespace signet {

// A spatial dimension of an input and its phases.
struct PhaseAxis {
  int64_t size;           // of the input
  int64_t before;         // blanks
  int64_t stride;         //
  int64_t positions;      // of one phase
  const int64_t* phases;  // that are needed
  int64_t num_phases;
};

// What follows on a sum: + bias + residual, then a function.
enum class RowFinish : uint8_t { kAsIs, kClip, kLeakyRelu, kHardSigmoid, kHardSwish };
struct FinishArguments {
  RowFinish kind;
  float alpha;
  float beta;
};

struct ConvTable {
  int64_t rows;     // of a tile: matrices `a` are packed as [rows of tiles][k][rows]
  int64_t lanes;    // of a vector: columns are counted in these
  int64_t columns;  // of a tile: `b` is packed as [tiles][k][columns], the last tile narrower

  // c[i][j] (+)= sum of a[i][l] * b[l][j], of `panels` times `rows` rows and `columns` columns, a
  // multiple of `lanes`.
  void (*multiply)(const float* a, const float* b, float* c, int64_t panels, int64_t columns,
                   int64_t k, int64_t c_stride, bool add);
  // Packs columns [begin, begin + columns) of the `k` rows at `from + offsets[l]`; those from
  // `end` on are zeros.
  void (*pack_columns)(const float* from, const int64_t* offsets, int64_t k, int64_t begin,
                       int64_t columns, int64_t end, float* packed);
  // One channel into its phases.
  void (*split)(const float* x, const PhaseAxis axes[3], float* phases);
  // out[j] = sum of weights[t] * from[offsets[t] + j], for `columns`, a multiple of 4 * lanes.
  void (*slide)(const float* from, const int64_t* offsets, const float* weights, int64_t taps,
                int64_t columns, float* out);
  // to[i] = finished from[i] + bias (+ residual[i]); `residual` may be null.
  void (*finish)(const float* from, float bias, const float* residual, FinishArguments with,
                 int64_t n, float* to);
};
SIGNET_ISA_TABLE(ConvTable);

}  // namespace signet
