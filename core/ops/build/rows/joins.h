// Joins: concat and stack of values of any kind.
//
//   [[1, 2], [3]] and [[4], []], ragged, along axis 1   =>  [[1, 2, 4], [3]]
//   {a: 1} and {a: 2}, stacked                          =>  [{a: 1}, {a: 2}]
//
// Values are tensors, ragged and structured values of known rank; axes of a structure are its own,
// not those of its fields. Tensors beside ragged values become ragged. With `ragged`, so do tensors
// in whatever dimension from 1 on their sizes differ or are not known to be the same, but in 1 at
// least. The refusals' labels are those of docs/reference/ops.md, concat. Stateless.

#pragma once

#include "core/ops/def/op_def.h"

namespace signet {

// A ragged value without row partitions as the tensor that it is; any other value as it is.
GraphValue DenseForm(const GraphValue& value);

// Joined along `axis`, one of their dimensions; below 0, from the end. One value stays as it is.
StatusOr<GraphValue> ConcatValues(OpBuilder& build, std::span<const GraphValue> values,
                                  int64_t axis, bool ragged);

// Joined along a new dimension `axis` of the result.
StatusOr<GraphValue> StackValues(OpBuilder& build, std::span<const GraphValue> values, int64_t axis,
                                 bool ragged);

}  // namespace signet
