// WindowsConv: a convolution with fewer windows than a vector has lanes. Multiplies the windows of
// all images, one per row, by the packed weights.
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
  // Returns true if this class is faster for `sizes` than products whose columns are windows.
  static bool Suits(const ConvTable& table, const ConvSizes& sizes);

  // Packs `weights` of a convolution with the groups, channels, and window of `sizes`.
  static StatusOr<WindowsConv> Make(const ConvFinish& finish, const Activation& activation,
                                    const ConvSizes& sizes, const float* weights);

  // `bias` and `residual` may be null.
  Status Run(KernelContext& context, const ConvSizes& sizes, const float* x, const float* bias,
             const float* residual, float* out) const;

 private:
  WindowsConv(const ConvFinish& finish, const Activation& activation);

  const ConvFinish& finish_;
  const Gemm& gemm_;
  const bool clips_;  // in the product; any other activation is applied afterward
  const float low_;
  const float high_;
  Buffer packed_;  // one part per group
};

}  // namespace signet
