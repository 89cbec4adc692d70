// Literal inputs: plain values in place of tensors, where the dtype is not that of the tensors
// beside.
//
//   gather(table, 3)  =>  gather(table, constant int64[] 3)
//
// Ops that need it set literals_as_tensors to false and expand by it.

#pragma once

#include "core/ops/def/op_def.h"

namespace signet {

// Whether `value` is a literal, or a list or tuple of such.
bool IsPlainLiteral(const GraphValue& value);

// `value`, or the constant tensor of `dtype` that its literal stands for. None is an input left
// out.
StatusOr<GraphValue> TensorFor(OpBuilder& build, const GraphValue& value, DType dtype);
// The same, where lists may be of different lengths: they become rows of a ragged value.
StatusOr<GraphValue> RowsFor(OpBuilder& build, const GraphValue& value, DType dtype);

// `expand` of an op on tensors whose inputs behind the first are lists of int64: literals there
// become such. UNIMPLEMENTED for other inputs that are no tensors.
StatusOr<std::vector<GraphValue>> ExpandWithInt64Lists(OpBuilder& build, const OpCall& call,
                                                       std::span<const GraphValue> inputs);
// The same of an op whose inputs are all int64, row splits and sizes, the first one too.
StatusOr<std::vector<GraphValue>> ExpandWithInt64s(OpBuilder& build, const OpCall& call,
                                                   std::span<const GraphValue> inputs);

}  // namespace signet
