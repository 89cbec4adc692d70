// Ragged expansions: reductions of ragged values as reductions of their flat values.
//
//   reduce_sum(x, axes=1)   x: ragged float32[?, (?)]      =>  segment_sum(values, row_splits)
//   reduce_sum(x, axes=2)   x: ragged float32[?, (?), 8]   =>  reduce_sum(values, axes=1), ragged
//   reduce_sum(x)                                          =>  reduce_sum(values)
//   reduce_sum(x, axes=0)                                  =>  segment_sum of the values of each
//                                                              place in a row (row_groups.h)
//
// The OpDef of a reduction called `reduce_<what>`, with attributes `axes` and `keepdims`, takes it
// as its `expand`; there must be a `segment_<what>`. Ops that go element by element take
// ExpandOnFlatValues (flat_values.h) or ExpandElementwise (elementwise.h), those along one axis
// ExpandAlongRows (ragged_axis.h). Rules: S§10, Reductions.

#pragma once

#include "core/ops/def/op_def.h"

namespace signet {

// Over any axes, all values that they name together at once. Structures: UNIMPLEMENTED.
StatusOr<std::vector<GraphValue>> ExpandRaggedReduction(OpBuilder& build, const OpCall& call,
                                                        std::span<const GraphValue> inputs);

}  // namespace signet
