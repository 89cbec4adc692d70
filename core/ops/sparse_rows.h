// Sparse rows: joining and cutting sparse values along dimension 0, whose entries are in order.
//
//   sparse [2, 3] and sparse [1, 5]  =>  sparse [3, 5], the entries of the second one 2 rows
//   further
//
// Stateless.

#pragma once

#include <vector>

#include "core/ops/op.h"

namespace signet {

// Those of all values, one after the other; each other dimension is as long as the longest. Refuses
// other dtypes and ranks, under C5.
StatusOr<GraphValue> JoinSparseRows(Expander& expander, std::span<const GraphValue> values);

// The values, each with a dimension of size 1 in front, so joined. `axis` is 0.
StatusOr<GraphValue> StackSparse(Expander& expander, std::span<const GraphValue> values,
                                 int64_t axis);

// Some rows: `count` of them from `start` on, both int64[].
struct RowRange {
  GraphValue start;
  GraphValue count;
};
// A value for each range, with `drop` without dimension 0. OUT_OF_RANGE where rows are not there.
StatusOr<std::vector<GraphValue>> CutSparseRows(Expander& expander, const GraphValue& value,
                                                std::span<const RowRange> ranges, bool drop);

// How long dimension 0 is: int64[].
StatusOr<GraphValue> CountSparseRows(Expander& expander, const GraphValue& value);

}  // namespace signet
