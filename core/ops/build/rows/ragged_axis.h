// RaggedAxis: expands ops along one axis of ragged values.
//
//   softmax(x, axis=1)   x: ragged float32[?, (?)]     =>  segment_softmax(values, row_splits)
//   sort(x, axis=2)      x: ragged int64[?, (?), 3]    =>  sort(values, axis=1), ragged
//   cumsum(x, axis=0)    x: ragged int64[?, (?)]       =>  segment_cumsum of the values at each
//                                                          place in a row (row_groups.h)
//
// Stateless.

#pragma once

#include <string_view>

#include "core/ops/def/op_def.h"

namespace signet {

// The expansions of ops with the attribute `axis` (C3, or C2 of `sort`). The result has the shape
// of the input (`sort`), or the axis is removed or has size 1 (`argmax`), or the axis is shorter
// (`top_k`, which rejects outer axes as UNIMPLEMENTED). There is an op `segment_<op>` with the
// other attributes.
StatusOr<std::vector<GraphValue>> ExpandAlongRows(OpBuilder& build, const OpCall& call,
                                                  std::span<const GraphValue> inputs);
StatusOr<std::vector<GraphValue>> ExpandArgAlongRows(OpBuilder& build, const OpCall& call,
                                                     std::span<const GraphValue> inputs);
StatusOr<std::vector<GraphValue>> ExpandTopKAlongRows(OpBuilder& build, const OpCall& call,
                                                      std::span<const GraphValue> inputs);

}  // namespace signet
