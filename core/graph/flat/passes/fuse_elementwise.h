// Chains of elementwise ops as one fused_elementwise, so that what is between them never leaves the
// cache. A node joins the one that reads it when nobody else does and it is as large.

#pragma once

#include "core/graph/flat/passes/rewriter.h"

namespace signet {

void FuseElementwise(Rewriter& rewriter);

}  // namespace signet
