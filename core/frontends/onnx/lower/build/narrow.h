// Narrow: elements of ONNX types that are narrower than any dtype, held in a wider one (dtypes.h).

#pragma once

#include "core/frontends/onnx/lower/build/dtypes.h"
#include "core/frontends/onnx/lower/build/tensor_expressions.h"

namespace signet {

// `x` as Cast gives it. Integers keep their low bits, as they do among wider types; numbers are
// rounded to the nearest integer before, halves to the even one (ONNX, technical details of int4).
// `rounding` is `up`, `down` or `nearest`; it applies to powers of two only (float8e8m0).
StatusOr<GraphValue> CastToNarrow(OpBuilder& build, const Operand& x, const NarrowType& type,
                                  bool saturates, std::string_view rounding);

// A scale, or scales, along an axis or in blocks of elements.
struct NarrowScale {
  GraphValue scale;
  Attributes attributes;  // `axis` and `block_size`, as `quantize` and `dequantize` take them
};
// x / scale + zero_point, as QuantizeLinear gives it: beyond the integers of the type is the least
// or the largest of them. Floats have no zero point.
StatusOr<GraphValue> QuantizeToNarrow(OpBuilder& build, const Operand& x, const NarrowScale& scale,
                                      const Operand& zero_point, const NarrowType& type,
                                      bool saturates);
// x * scale, of floats as DequantizeLinear gives it, float32.
StatusOr<GraphValue> DequantizeFloats(OpBuilder& build, const Operand& x, const NarrowScale& scale);

}  // namespace signet
