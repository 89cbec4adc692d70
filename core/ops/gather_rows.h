// Gather rows: `gather` where the picked value or the indices are composite.
//
//   x tensor, indices ragged       gather on the flat indices; the result has their row splits
//   x ragged, indices a vector     rows in a new order: new row splits, and one gather of flat
//   values x structured, indices a vector the same for every column, with the positions computed
//   once x ragged or structured, scalar that row alone, of one rank less

#pragma once

#include "core/ops/op.h"

namespace signet {

StatusOr<GraphValue> ExpandGatherRows(Expander& expander, const OpCall& call, const GraphValue& x,
                                      const GraphValue& indices);

}  // namespace signet
