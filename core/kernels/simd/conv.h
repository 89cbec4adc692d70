// ConvTable: convolutions over plain arrays of float32: products of packed matrices, and the
// operations before and after them.
//
// The elements of the input are laid out so that a window of any stride corresponds to shifts of
// whole planes. A channel is split into *phases*, one for each remainder of the position (with its
// blanks) divided by the stride. In each phase the windows are next to each other: element (kd, kh,
// kw) of window n is element `n + offset(kd, kh, kw)`. A *column* is a window, counted over the
// width of a phase. Columns that extend over the end of a row are computed and discarded.

#pragma once

#include <cstdint>

#include "core/kernels/simd/vector/isa_level.h"

namespace signet {

// A spatial dimension of an input and its phases.
struct PhaseAxis {
  int64_t size;           // of the input
  int64_t before;         // number of blanks before the input
  int64_t stride;         //
  int64_t positions;      // number of positions of one phase
  const int64_t* phases;  // the phases that are needed
  int64_t num_phases;
};

// The operation on a sum after `+ bias + residual`.
enum class RowFinish : uint8_t {
  kAsIs,
  kClip,
  kLeakyRelu,
  kHardSigmoid,
  kHardSwish,
  kSigmoid,
  kSilu,
};
struct FinishArguments {
  RowFinish kind;
  float alpha;
  float beta;
};

// Computes c[i][j] = sum of a[i][l] * b[l][j] (+ c[i][j]) + bias[i] + residual[i][j], clipped.
struct ConvProduct {
  const float* a;          // panels: [rows / ConvTable::rows][k][ConvTable::rows]
  const float* b;          // row l is at b + offsets[l]; whole vectors of it are read
  const int64_t* offsets;  //
  int64_t k;
  int64_t rows;  // of c
  int64_t columns;
  float* c;
  int64_t c_stride;
  bool add = false;                 // add to the elements of c
  const float* bias = nullptr;      // may be null
  const float* residual = nullptr;  // same layout as c; may be null
  bool clips = false;
  float low = 0;
  float high = 0;
};

// Computes the windows of one channel in a plane: out[row][j] = sum of weights[t] * from[offsets[t]
// + j + row * from_stride] + bias + residual[row][j], clipped. Reads whole vectors.
struct ConvSlide {
  const float* from;
  const int64_t* offsets;
  int64_t taps;
  int64_t from_stride;
  int64_t rows;
  int64_t columns;
  float* out;
  int64_t out_stride;
  const float* weights = nullptr;
  const float* residual = nullptr;  // same layout as `out`; may be null
  float bias = 0;
  bool clips = false;
  float low = 0;
  float high = 0;
};

// Columns [column, column + count) of a phase.
struct ColumnRun {
  int64_t column;
  int64_t count;
};

struct ConvTable {
  int64_t rows;   // rows per panel
  int64_t lanes;  // lanes per vector
  int64_t
      columns;  // columns per tile, a few vectors: the best number to pack and multiply at a time

  void (*multiply)(const ConvProduct& product);
  // Packs columns of the `k` rows at `from + offsets[l]`, run after run, as rows of `width`, a
  // multiple of `lanes`. Writes up to one vector beyond the last row.
  void (*pack_columns)(const float* from, const int64_t* offsets, int64_t k, const ColumnRun* runs,
                       int64_t num_runs, int64_t width, float* packed);
  // Splits one channel into its phases.
  void (*split)(const float* x, const PhaseAxis axes[3], float* phases);
  void (*slide)(const ConvSlide& slide);
  // Computes to[i] = finish(from[i] + bias + residual[i]). `residual` may be null.
  void (*finish)(const float* from, float bias, const float* residual, FinishArguments with,
                 int64_t n, float* to);
};
SIGNET_ISA_TABLE(ConvTable);

}  // namespace signet
