// QuantizedValue: integers with a scale and a zero point, and operations on them.

#pragma once

#include "core/frontends/onnx/lower/build/tensor_expressions.h"

namespace signet {

// Integers with their scale and zero point, which may be missing.
struct QuantizedValue {
  GraphValue x;
  GraphValue scale;
  GraphValue zero;
};

// Returns inputs i, i + 1, and i + 2: the integers, their scale as float32, and the zero point.
StatusOr<QuantizedValue> QuantizedAt(OpBuilder& build, std::span<const GraphValue> inputs,
                                     size_t i);

// Returns true if `value` is known to be one number. An unknown size counts as a vector.
bool IsOneNumber(const GraphValue& value);
// Returns one number as a scalar, or else the value.
StatusOr<GraphValue> OneAsScalar(OpBuilder& build, const GraphValue& value);
// Returns a vector with one element per row as a column, or else the value.
StatusOr<GraphValue> AsColumn(OpBuilder& build, const GraphValue& value);

// Returns the matrix product of 8-bit integers, in int32. The zero points may be vectors, one
// element per row or column, or have the rank of their matrix.
StatusOr<GraphValue> IntegerProduct(OpBuilder& build, const GraphValue& a, const GraphValue& a_zero,
                                    const GraphValue& b, const GraphValue& b_zero);

// Converts int32 sums of products to integers with another scale: multiplies by `a * b / y`, which
// are scalars, or vectors along `axis`.
StatusOr<GraphValue> Rescaled(OpBuilder& build, const Operand& sums, const GraphValue& a,
                              const GraphValue& b, const GraphValue& y, const GraphValue& zero,
                              int64_t axis);

// Convert integers to float32, and back. Scales and zero points that are vectors apply along
// `axis`.
StatusOr<GraphValue> Dequantized(OpBuilder& build, const QuantizedValue& value, int64_t axis = 1);
StatusOr<GraphValue> Quantized(OpBuilder& build, const Operand& x, const Operand& scale,
                               const Operand& zero, int64_t axis = 1);

// Moves the channels of `x` from the last dimension to dimension 1, or back.
StatusOr<GraphValue> MoveChannels(OpBuilder& build, const Operand& x, int rank, bool to_front);

}  // namespace signet
