// CallLoopOp: calls while, loop, map, scan, and reduce. Adds a `loop` node to a graph, or runs the
// loop at once in an Evaluator. Rules: docs/guide/control-flow.md. Stateless.

#pragma once

#include <span>
#include <vector>

#include "core/graph/lower/inliner.h"

namespace signet {

StatusOr<std::vector<GraphValue>> CallLoopOp(Inliner& inliner, const OpDef& op,
                                             std::span<const GraphValue> inputs,
                                             const Attributes& attributes);

}  // namespace signet
