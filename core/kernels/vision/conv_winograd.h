// WinogradConv: a convolution with 3x3 windows and stride 1 by Winograd's algorithm
// (simd/winograd.h), with one matrix product per element of a transformed tile.
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
  // Returns the fastest form for `sizes`, or null if a plain product is faster.
  static const WinogradForm* BestForm(const ConvTable& table, const ConvSizes& sizes);

  // Returns the number of floats of packed weights.
  static int64_t PackedSize(const WinogradForm& form, const ConvTable& table,
                            const ConvSizes& sizes);
  // Packs `weights` of a convolution with the groups, channels, and window of `sizes` into
  // `packed`, which has room for PackedSize floats.
  WinogradConv(const WinogradForm& form, const ConvTable& table, const ConvFinish& finish,
               const ConvSizes& sizes, const float* weights, Buffer packed);

  // `bias` and `residual` may be null.
  Status Run(KernelContext& context, const ConvSizes& sizes, const float* x, const float* bias,
             const float* residual, float* out) const;

 private:
  // The arguments that are the same for all blocks.
  struct Call {
    const ConvSizes& sizes;
    const float* bias;
    const float* residual;
    float* out;
    const WinogradQuad* quads;  // the quads of an image
    int64_t row_stride;         // stride of padded planes
    int64_t plane;              // floats per padded plane
    int64_t columns;            // maximum number of columns per block
    const int64_t* offsets;     // offset of each row of `columns` columns
  };
  // Several vectors of quads and several panels of output channels, of one group of an image.
  // `planes` are the inputs of the group.
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
