// WinogradConv: a convolution with 3x3 windows, stride 1, by Winograd's algorithm
// (simd/winograd.h): a product of matrices for each element of a transformed tile.
//
// Immutable; thread-safe.

#pragma once

#include "core/kernels/def/stop_poll.h"
#include "core/kernels/simd/winograd.h"
#include "core/kernels/vision/conv_finish.h"
#include "core/kernels/vision/conv_layout.h"
#include "signet/buffer.h"

namespace signet {

class WinogradConv {
 public:
  // The form that is fastest, of a convolution of `sizes`; null when a plain product is.
  static const WinogradForm* BestForm(const ConvTable& table, const ConvSizes& sizes);

  // The floats that packed weights take.
  static int64_t PackedSize(const WinogradForm& form, const ConvTable& table,
                            const ConvSizes& sizes);
  // Packs `weights`, of a convolution that has the groups, channels and window of `sizes`, in
  // `packed`, which is of as many.
  WinogradConv(const WinogradForm& form, const ConvTable& table, const ConvFinish& finish,
               const ConvSizes& sizes, const float* weights, Buffer packed);

  // `bias` and `residual` may be null.
  Status Run(KernelContext& context, const ConvSizes& sizes, const float* x, const float* bias,
             const float* residual, float* out) const;

 private:
  // What does not depend on the block.
  struct Call {
    const ConvSizes& sizes;
    const float* bias;
    const float* residual;
    float* out;
    const WinogradQuad* quads;  // of an image
    int64_t row_stride;         // of padded planes
    int64_t plane;              // floats of one
    int64_t columns;            // of a block, at most
    const int64_t* offsets;     // of rows of as many
  };
  // Some vectors of quads, and some panels of channels out, of one group of an image, of which
  // `planes` are the inputs.
  struct Block {
    const float* planes;
    int64_t image;
    int64_t group;
    int64_t first_vector;
    int64_t vectors;
    int64_t first_row;
    int64_t rows;
  };
  void RunBlock(const Call& call, const Block& block, float* scratch, StopPoll& poll) const;
  int64_t NumPanels(const ConvSizes& sizes) const {
    return (sizes.out + table_.rows - 1) / table_.rows;
  }

  const WinogradForm& form_;
  const ConvTable& table_;
  const ConvFinish& finish_;
  Buffer packed_;  // floats, [group][element][panel][channel][row]
};

}  // namespace signet
