// Loop ops: while, loop, map, scan and reduce: a `loop` node where a graph is built, and run at
// once where calls are. Rules: docs/guide/control-flow.md. Stateless.

#pragma once

#include <span>
#include <vector>

#include "core/graph/lower/inliner.h"

namespace signet {

StatusOr<std::vector<GraphValue>> CallLoopOp(Inliner& inliner, const OpDef& op,
                                             std::span<const GraphValue> inputs,
                                             const Attributes& attributes);

}  // namespace signet
