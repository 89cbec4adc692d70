// FuseConvolutionPass: merges the scale and shift of each channel into the weights and the bias of
// a convolution, and lets the convolution add a residual and compute an activation.
//
//   %4 = conv(%0, %1)
//   %5 = mul(%4, %2)             %7 = conv(%0, %8, %9; activation="relu")
//   %6 = add(%5, %3)      =>     with the constants %8 = %1 * %2 and %9 = %3
//   %7 = relu(%6)
//
// `x * sigmoid(x)` is recognized as SiLU, and `x * clip(a * x + b, 0, 1)` as hard swish, in the
// forms that exporters write.

#pragma once

#include "core/graph/flat/passes/pass.h"

namespace signet {

extern const Pass kFuseConvolutionPass;

}  // namespace signet
