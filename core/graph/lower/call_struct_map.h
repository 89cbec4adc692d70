// CallStructMap: calls struct_map (core/ops/build/rows/field_map.h) with an op or a function of the
// model. Stateless.

#pragma once

#include <span>
#include <vector>

#include "core/graph/lower/inliner.h"

namespace signet {

StatusOr<std::vector<GraphValue>> CallStructMap(Inliner& inliner, const OpDef& op,
                                                std::span<const GraphValue> inputs,
                                                const Attributes& attributes);

}  // namespace signet
