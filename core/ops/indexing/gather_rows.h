// Gather rows: `gather` where the picked value or the indices are composite. Axes count dimensions
// of structures, never those of fields.
//
//   x of any kind, indices a scalar        along axis 0: that row alone, of one rank less
//   x of any kind, indices of any rank     whole rows, in the dimensions of the indices, ragged or
//                                          not, behind those of x in front of the axis

#pragma once

#include "core/ops/def/op_def.h"

namespace signet {

StatusOr<GraphValue> ExpandGatherRows(OpBuilder& build, const OpCall& call, const GraphValue& x,
                                      const GraphValue& indices);

// Whether `x` has rows, to be picked by such `indices`, under label C1; UNIMPLEMENTED where ranks
// are not known.
Status CheckPicked(const GraphValue& x, const GraphValue& indices);

}  // namespace signet
