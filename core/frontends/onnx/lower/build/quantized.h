// Quantized: what expansions of quantised operators are made of.

#pragma once

#include "core/frontends/onnx/lower/build/tensor_expressions.h"

namespace signet {

// Numbers as integers: their scale and zero point, which may have no value.
struct QuantizedValue {
  GraphValue x;
  GraphValue scale;
  GraphValue zero;
};

// Inputs i, i + 1 and i + 2: the integers, their scale as float32, and the zero point.
StatusOr<QuantizedValue> QuantizedAt(OpBuilder& build, std::span<const GraphValue> inputs,
                                     size_t i);

// Whether `value` is one number, by what is known; unknown sizes are of vectors.
bool IsOneNumber(const GraphValue& value);
// One number as a scalar; else the value.
StatusOr<GraphValue> OneAsScalar(OpBuilder& build, const GraphValue& value);
// A vector of one for each row, as a column; else the value.
StatusOr<GraphValue> AsColumn(OpBuilder& build, const GraphValue& value);

// The sums of products of 8-bit integers, int32. Zero points of rows and columns may be vectors, or
// have the rank of their matrix.
StatusOr<GraphValue> IntegerProduct(OpBuilder& build, const GraphValue& a, const GraphValue& a_zero,
                                    const GraphValue& b, const GraphValue& b_zero);

// Sums of products, int32, as integers of another scale: times `a * b / y`, scalars or vectors
// along `axis`.
StatusOr<GraphValue> Rescaled(OpBuilder& build, const Operand& sums, const GraphValue& a,
                              const GraphValue& b, const GraphValue& y, const GraphValue& zero,
                              int64_t axis);

// float32 numbers, and integers of scale and zero point again. Along `axis` where they are vectors.
StatusOr<GraphValue> Dequantized(OpBuilder& build, const QuantizedValue& value, int64_t axis = 1);
StatusOr<GraphValue> Quantized(OpBuilder& build, const Operand& x, const Operand& scale,
                               const Operand& zero, int64_t axis = 1);

// `x` with its channels brought to dimension 1 from the end, or back.
StatusOr<GraphValue> MoveChannels(OpBuilder& build, const Operand& x, int rank, bool to_front);

}  // namespace signet
