// DirectConv: a convolution of small planes, or of few channels, whose windows are multiplied where
// they are (simd/direct_conv.h).
//
// Columns are windows only, with none that hang over a row's end: where rows are much shorter or
// somewhat longer than vectors, the input is laid out once for each element of a row of the window:
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
  // Whether it is faster than a product of packed windows, of a convolution of `sizes`.
  static bool Suits(const ConvSizes& sizes);

  // Packs `weights`. Runs have the `sizes`, but for the batch.
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
  // Rows of weights that are multiplied together: a power of two.
  struct Panel {
    int64_t first;
    int64_t rows;
  };
  struct Image {
    const float* from;  // laid out
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
  bool clips_;  // in the tile; any other activation follows
  float low_;
  float high_;
  bool joined_;
  bool by_rows_;                // of windows; else all windows are columns
  std::vector<int64_t> slots_;  // joined: phases that are needed, in the height
  int64_t positions_;           // of a row of a phase
  int64_t height_;              // rows of a phase
  int64_t channel_;             // floats of a channel that is laid out
  int64_t run_;                 // columns at a time; the last time all that are left
  int64_t num_runs_;
  std::vector<int64_t> offsets_;
  std::vector<Panel> panels_;
  std::vector<float> packed_;  // [group][panel][k][rows]
};

}  // namespace signet
