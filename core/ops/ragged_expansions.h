// Ragged expansions: reductions of ragged values as reductions of their flat values.
//
//   reduce_sum(x, axes=1)   x: ragged float32[?, (?)]      =>  segment_sum(values, row_splits)
//   reduce_sum(x, axes=2)   x: ragged float32[?, (?), 8]   =>  reduce_sum(values, axes=1), ragged
//   as before reduce_sum(x)                                          =>  reduce_sum(values)
//
// The OpDef of a reduction called `reduce_<what>`, with attributes `axes` and `keepdims`, takes it
// as its `expand`; there must be a `segment_<what>`. Ops that go element by element take
// ExpandOnFlatValues (flat_values.h) or ExpandElementwise (elementwise.h).

#pragma once

#include "core/ops/op.h"

namespace signet {

// Ragged dimensions are reduced from the innermost on, several at once; UNIMPLEMENTED when values
// would have to be combined position by position across rows (axis 0 alone), and for keepdims.
StatusOr<std::vector<GraphValue>> ExpandRaggedReduction(Expander& expander, const OpCall& call,
                                                        std::span<const GraphValue> inputs);

}  // namespace signet
