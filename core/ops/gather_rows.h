// Gather rows: `gather` where the picked value or the indices are composite: rows of axis 0.
//
//   x of any kind, indices a scalar     that row alone, of one rank less
//   x of any kind, indices of any rank  whole rows, in the dimensions of the indices, ragged or not

#pragma once

#include "core/ops/op.h"

namespace signet {

StatusOr<GraphValue> ExpandGatherRows(Expander& expander, const OpCall& call, const GraphValue& x,
                                      const GraphValue& indices);

}  // namespace signet
