// WindowsConv: a convolution of a few windows, fewer than a vector has numbers: a product of the
// windows of all images, one a row, with the packed weights.
//
// Immutable; thread-safe.

#pragma once

#include "core/kernels/def/kernel.h"
#include "core/kernels/simd/gemm.h"
#include "core/kernels/vision/conv_finish.h"
#include "core/kernels/vision/conv_layout.h"

namespace signet {

class WindowsConv {
 public:
  // Whether it is faster than products that have windows as columns, of a convolution of `sizes`.
  static bool Suits(const ConvTable& table, const ConvSizes& sizes);

  // Packs `weights`, of a convolution that has the groups, channels and window of `sizes`.
  static StatusOr<WindowsConv> Make(const ConvFinish& finish, const Activation& activation,
                                    const ConvSizes& sizes, const float* weights);

  // `bias` and `residual` may be null.
  Status Run(KernelContext& context, const ConvSizes& sizes, const float* x, const float* bias,
             const float* residual, float* out) const;

 private:
  WindowsConv(const ConvFinish& finish, const Activation& activation);

  const ConvFinish& finish_;
  const Gemm& gemm_;
  const bool clips_;  // in the product; any other activation follows
  const float low_;
  const float high_;
  Buffer packed_;  // [group]
};

}  // namespace signet
