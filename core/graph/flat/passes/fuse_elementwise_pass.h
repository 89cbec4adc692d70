// FuseElementwisePass: joins chains of elementwise ops, so that intermediate elements stay in
// cache.
//
//   %2 = mul(%0, %1);  %3 = exp(%2)   =>   %3 = fused_elementwise(%0, %1; program="mul 0 1; exp 2")
//
// A node joins the node that reads it, if no other node reads it and both have the same shape.

#pragma once

#include "core/graph/flat/passes/pass.h"

namespace signet {

extern const Pass kFuseElementwisePass;

}  // namespace signet
