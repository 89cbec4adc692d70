// GatherRows: expands `gather` if the value or the indices are composite. An axis of a structure is
// one of its own dimensions, not a dimension of its fields.
//
//   x of any kind, indices a scalar        along axis 0: that row alone, of one rank less
//   x of any kind, indices of any rank     whole rows, in the dimensions of the indices, ragged or
//                                          not, after the dimensions of x before the axis

#pragma once

#include "core/ops/def/op_def.h"

namespace signet {

StatusOr<GraphValue> ExpandGatherRows(OpBuilder& build, const OpCall& call, const GraphValue& x,
                                      const GraphValue& indices);

// Checks that `x` has rows that `indices` can select (C1). UNIMPLEMENTED if a rank is not known.
Status CheckPicked(const GraphValue& x, const GraphValue& indices);

}  // namespace signet
