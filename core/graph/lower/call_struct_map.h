// Calls of struct_map (core/ops/build/rows/field_map.h) by an op, or by a function of the model.
// Stateless.

#pragma once

#include <span>
#include <vector>

#include "core/graph/lower/inliner.h"

namespace signet {

StatusOr<std::vector<GraphValue>> CallStructMap(Inliner& inliner, const OpDef& op,
                                                std::span<const GraphValue> inputs,
                                                const Attributes& attributes);

}  // namespace signet
