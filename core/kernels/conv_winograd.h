// WinogradConv: a convolution with 3x3 windows, stride 1, by Winograd's algorithm
// (isa/winograd.h): a product of matrices for each element of a transformed tile.
//
// Immutable; thread-safe.

#pragma once

#include "core/kernels/conv_finish.h"
#include "core/kernels/conv_layout.h"
#include "core/kernels/isa/winograd.h"
#include "core/kernels/kernel.h"

namespace signet {

class WinogradConv {
 public:
  // Whether it is faster than a product, of a convolution of `sizes`.
  static bool Suits(const ConvTable& table, const ConvSizes& sizes);

  // Packs `weights`, of a convolution that has the groups, channels and window of `sizes`.
  WinogradConv(const ConvTable& table, const ConvFinish& finish, const ConvSizes& sizes,
               const float* weights);

  // `bias` and `residual` may be null.
  Status Run(KernelContext& context, const ConvSizes& sizes, const float* x, const float* bias,
             const float* residual, float* out) const;

 private:
  int64_t NumPanels(const ConvSizes& sizes) const {
    return (sizes.out + table_.rows - 1) / table_.rows;
  }
  // Tiles that begin at `column`, of one group of an image.
  void RunBlock(const ConvSizes& sizes, const PhaseLayout& layout, const float* phases,
                int64_t image, int64_t group, int64_t column, const float* bias,
                const float* residual, float* out, float* scratch) const;

  const ConvTable& table_;
  const ConvFinish& finish_;
  const WinogradTable& transforms_;
  std::vector<float> packed_;  // [group][element][panel][channel][row]
};

}  // namespace signet
