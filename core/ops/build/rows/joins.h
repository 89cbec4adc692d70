// Joins: concatenates and stacks values of any kind.
//
//   [[1, 2], [3]] and [[4], []], ragged, along axis 1   =>  [[1, 2, 4], [3]]
//   {a: 1} and {a: 2}, stacked                          =>  [{a: 1}, {a: 2}]
// The values are tensors, ragged values, and structures of known rank. The axes of a structure are
// its own dimensions, not those of its fields. Tensors next to ragged values become ragged. With
// `ragged`, tensors become ragged in dimension 1 and in each further dimension in which sizes
// differ or are not known to be equal. The labels of errors are those of the op `concat`.
// Stateless.

#pragma once

#include "core/ops/def/op_def.h"

namespace signet {

// Returns the flat values of a ragged value without row partitions, which are a tensor. Returns any
// other value unchanged.
GraphValue DenseForm(const GraphValue& value);

// Joins the values along `axis`, one of their dimensions. An axis less than 0 counts from the end.
// A single value is returned unchanged.
StatusOr<GraphValue> ConcatValues(OpBuilder& build, std::span<const GraphValue> values,
                                  int64_t axis, bool ragged);

// Joins the values along a new dimension `axis` of the result.
StatusOr<GraphValue> StackValues(OpBuilder& build, std::span<const GraphValue> values, int64_t axis,
                                 bool ragged);

}  // namespace signet
