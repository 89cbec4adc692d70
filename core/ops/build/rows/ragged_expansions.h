// RaggedExpansions: expands reductions of ragged values to reductions of their flat values.
//
//   reduce_sum(x, axes=1)   x: ragged float32[?, (?)]      =>  segment_sum(values, row_splits)
//   reduce_sum(x, axes=2)   x: ragged float32[?, (?), 8]   =>  reduce_sum(values, axes=1), ragged
//   reduce_sum(x)                                          =>  reduce_sum(values)
//   reduce_sum(x, axes=0)                                  =>  segment_sum of the values of each
//                                                              place in a row (row_groups.h)
// The OpDef of a reduction `reduce_<name>` with the attributes `axes` and `keepdims` uses this
// function as its `expand`. There is an op `segment_<name>`. Elementwise ops use ExpandOnFlatValues
// (flat_values.h) or ExpandElementwise (elementwise_rows.h), and ops along one axis use
// ExpandAlongRows (ragged_axis.h).

#pragma once

#include "core/ops/def/op_def.h"

namespace signet {

// Reduces any axes. Several axes are reduced together. UNIMPLEMENTED for structures.
StatusOr<std::vector<GraphValue>> ExpandRaggedReduction(OpBuilder& build, const OpCall& call,
                                                        std::span<const GraphValue> inputs);

}  // namespace signet
