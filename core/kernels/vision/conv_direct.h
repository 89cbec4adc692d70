// DirectConv: a convolution of small planes, or of few channels, that reads windows in place
// (simd/direct_conv.h).
//
// Only windows are columns; no column extends over the end of a row. If rows are much shorter than
// vectors, or slightly longer, the input is laid out once per element of a row of the window:
//
//   rows 0 1 2 3 and 4 5 6 7, window of 2  =>  0 1 2 4 5 6 and 1 2 3 5 6 7
//
// Immutable; thread-safe.

#pragma once

#include <vector>

#include "core/kernels/def/stop_poll.h"
#include "core/kernels/simd/direct_conv.h"
#include "core/kernels/vision/conv_finish.h"
#include "core/kernels/vision/conv_layout.h"

namespace signet {

class DirectConv {
 public:
  // Returns true if this class is faster than a product of packed windows for `sizes`.
  static bool Suits(const ConvSizes& sizes);

  // Packs `weights`. Runs have these `sizes`, except for the batch.
  DirectConv(const ConvTable& table, const ConvFinish& finish, const Activation& activation,
             const ConvSizes& sizes, const float* weights);

  // `bias` and `residual` may be null.
  Status Run(KernelContext& context, const ConvSizes& sizes, const float* x, const float* bias,
             const float* residual, float* out) const;

 private:
  struct Range {
    int64_t begin;
    int64_t end;
  };
  // Rows of weights that are multiplied together. `rows` is a power of two.
  struct Panel {
    int64_t first;
    int64_t rows;
  };
  struct Image {
    const float* from;  // the elements in the layout of this class
    const float* bias;
    const float* residual;
    float* out;
  };

  void LayOut(const float* x, int64_t channels, float* phases, float* to) const;
  void Multiply(const Image& image, int64_t group, Range panels, Range runs, StopPoll& poll) const;

  const ConvTable& table_;
  const DirectTable& direct_;
  const ConvFinish& finish_;
  const ConvSizes sizes_;
  PhaseLayout layout_;
  bool clips_;  // in the tile; any other activation is applied afterward
  float low_;
  float high_;
  bool joined_;
  bool by_rows_;  // rows of windows are multiplied one by one; otherwise all windows are columns
  std::vector<int64_t> slots_;  // if joined: the phases of the height that are needed
  int64_t positions_;           // number of positions in a row of a phase
  int64_t height_;              // number of rows of a phase
  int64_t channel_;             // floats per channel of the layout
  int64_t run_;                 // number of columns per run; the last run has the rest
  int64_t num_runs_;
  std::vector<int64_t> offsets_;
  std::vector<Panel> panels_;
  std::vector<float> packed_;  // [group][panel][k][rows]
};

}  // namespace signet
