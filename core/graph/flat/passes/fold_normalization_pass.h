// FoldNormalizationPass: replaces a normalization that is written in means and squares by one op,
// and merges the scale and the bias that follow it.
//
//   %3 = reduce_mean(%0);  %4 = sub(%0, %3);  %5 = square(%4)
//   %6 = reduce_mean(%5);  %7 = add(%6, 1e-05);  %8 = sqrt(%7)   =>   %11 = layer_norm(%0, %1, %2)
//   %9 = div(%4, %8);  %10 = mul(%9, %1);  %11 = add(%10, %2)
//
// Without the subtraction of the mean, the result is `rms_norm`.

#pragma once

#include "core/graph/flat/passes/pass.h"

namespace signet {

extern const Pass kFoldNormalizationPass;

}  // namespace signet
