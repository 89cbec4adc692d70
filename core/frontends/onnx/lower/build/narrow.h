// CastToNarrow, QuantizeToNarrow: round to ONNX types that are narrower than any dtype (dtypes.h).

#pragma once

#include "core/frontends/onnx/lower/build/dtypes.h"
#include "core/frontends/onnx/lower/build/tensor_expressions.h"

namespace signet {

// Casts `x` as the operator Cast does. Floats are rounded to the nearest integer, and halves to the
// even one (ONNX, technical details of int4). Integers then keep their low bits, as in casts to
// other integers. `rounding` is `up`, `down`, or `nearest`; it applies only to powers of two
// (float8e8m0).
StatusOr<GraphValue> CastToNarrow(OpBuilder& build, const Operand& x, const NarrowType& type,
                                  bool saturates, std::string_view rounding);

// One scale, one scale per index of an axis, or one scale per block of elements.
struct NarrowScale {
  GraphValue scale;
  Attributes attributes;  // `axis` and `block_size`, as for `quantize` and `dequantize`
};
// Returns x / scale + zero_point, as the operator QuantizeLinear does. Results outside the range of
// the integer type are clipped. Floats have no zero point.
StatusOr<GraphValue> QuantizeToNarrow(OpBuilder& build, const Operand& x, const NarrowScale& scale,
                                      const Operand& zero_point, const NarrowType& type,
                                      bool saturates);
// Returns x * scale for floats, in float32, as the operator DequantizeLinear does.
StatusOr<GraphValue> DequantizeFloats(OpBuilder& build, const Operand& x, const NarrowScale& scale);

}  // namespace signet
