// Ragged axis: ops along one axis, on ragged values.
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

// Of ops with attribute `axis` (C3; of `sort`, C2): each makes of a value one of the same shape, or
// with the axis dropped or kept as 1 (`argmax`), or shorter (`top_k`, which refuses outer axes:
// UNIMPLEMENTED). There must be a `segment_<op>`, with the other attributes.
StatusOr<std::vector<GraphValue>> ExpandAlongRows(OpBuilder& build, const OpCall& call,
                                                  std::span<const GraphValue> inputs);
StatusOr<std::vector<GraphValue>> ExpandArgAlongRows(OpBuilder& build, const OpCall& call,
                                                     std::span<const GraphValue> inputs);
StatusOr<std::vector<GraphValue>> ExpandTopKAlongRows(OpBuilder& build, const OpCall& call,
                                                      std::span<const GraphValue> inputs);

}  // namespace signet
