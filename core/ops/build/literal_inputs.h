// LiteralInputs: converts plain values to tensors whose dtype is not the dtype of the other inputs.
//
//   gather(table, 3)  =>  gather(table, constant int64[] 3)
// An op that needs this sets literals_as_tensors to false and uses these functions in its
// expansion.

#pragma once

#include "core/ops/def/op_def.h"

namespace signet {

// Returns true if `value` is a literal, or a list or tuple of literals.
bool IsPlainLiteral(const GraphValue& value);

// Returns `value`, or a constant tensor of `dtype` if `value` is a literal. The literal None is a
// missing input.
StatusOr<GraphValue> TensorFor(OpBuilder& build, const GraphValue& value, DType dtype);
// The same as TensorFor, but lists may have different lengths. They become the rows of a ragged
// value.
StatusOr<GraphValue> RowsFor(OpBuilder& build, const GraphValue& value, DType dtype);

// The `expand` of an op on tensors whose inputs after the first are lists of int64. Converts
// literals there to int64 tensors. UNIMPLEMENTED for other inputs that are not tensors.
StatusOr<std::vector<GraphValue>> ExpandWithInt64Lists(OpBuilder& build, const OpCall& call,
                                                       std::span<const GraphValue> inputs);
// The same for an op whose inputs are all int64, such as row splits and sizes.
StatusOr<std::vector<GraphValue>> ExpandWithInt64s(OpBuilder& build, const OpCall& call,
                                                   std::span<const GraphValue> inputs);

}  // namespace signet
