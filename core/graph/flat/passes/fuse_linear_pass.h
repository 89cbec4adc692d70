// FuseLinearPass: merges transposes, scales, biases, residuals and clips into matrix products.
//
//   %3 = matmul(%0, %1);  %4 = add(%3, %2);  %5 = relu(%4)   =>   %5 = linear(%0, %1, %2; low=0)

#pragma once

#include "core/graph/flat/passes/pass.h"

namespace signet {

extern const Pass kFuseLinearPass;

}  // namespace signet
