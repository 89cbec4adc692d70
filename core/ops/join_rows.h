// Join rows: `concat` of ragged values and of structures along axis 0: columns are joined one by
// one.

#pragma once

#include "core/ops/op.h"

namespace signet {

StatusOr<std::vector<GraphValue>> ExpandJoinRows(Expander& expander, const OpCall& call,
                                                 std::span<const GraphValue> inputs);

}  // namespace signet
