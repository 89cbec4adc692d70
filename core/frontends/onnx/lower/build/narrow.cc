#include "core/frontends/onnx/lower/build/narrow.h"

#include "core/ops/build/op_builder.h"

namespace signet {
namespace {

StatusOr<GraphValue> RoundToFormat(OpBuilder& build, const Operand& x, const NarrowType& type,
                                   bool saturates, std::string_view rounding = "nearest") {
  Expr rounded =
      build.RoundTo(CastTo(build, x, DType::kFloat32),
                    {.format = type.format, .saturate = saturates, .rounding = rounding});
  return CastTo(build, rounded, type.held_in);
}

// Returns the scale of each element of `x`.
StatusOr<GraphValue> ScaleOfEach(OpBuilder& build, const Operand& x, const NarrowScale& scale) {
  Expr ones = build.OnesLike(CastTo(build, x, DType::kInt8));
  return build.CallOne("dequantize", {ones, scale.scale, GraphValue()},
                       scale.attributes.With("dtype", AttributeOf(DType::kFloat32)));
}

}  // namespace

StatusOr<GraphValue> CastToNarrow(OpBuilder& build, const Operand& x, const NarrowType& type,
                                  bool saturates, std::string_view rounding) {
  if (!type.format.empty()) return RoundToFormat(build, x, type, saturates, rounding);
  Operand whole = x;
  DType dtype = TensorDType(x);
  if (IsFloat(dtype) || dtype == DType::kString) {
    whole = build.Round(CastTo(build, x, dtype == DType::kFloat64 ? dtype : DType::kFloat32));
  }
  whole = CastTo(build, whole, DType::kInt32);
  Expr mask = Number(build, (1 << type.bits) - 1, DType::kInt32);
  if (type.held_in == DType::kUInt8) {
    whole = build.BitwiseAnd(whole, mask);
  } else {
    Expr half = Number(build, 1 << (type.bits - 1), DType::kInt32);
    whole = build.BitwiseAnd(whole + half, mask) - half;
  }
  return CastTo(build, whole, type.held_in);
}

StatusOr<GraphValue> QuantizeToNarrow(OpBuilder& build, const Operand& x, const NarrowScale& scale,
                                      const Operand& zero_point, const NarrowType& type,
                                      bool saturates) {
  if (!type.format.empty()) {
    Expr number = CastTo(build, x, DType::kFloat32) / ScaleOfEach(build, x, scale);
    return RoundToFormat(build, number, type, saturates);
  }
  Expr wide = build.CallOne("quantize", {x, scale.scale, zero_point},
                            scale.attributes.With("dtype", AttributeOf(type.held_in)));
  bool is_signed = type.held_in == DType::kInt8;
  int values = 1 << type.bits;
  int least = is_signed ? -values / 2 : 0;
  return build.Clip(wide, Number(build, least, type.held_in),
                    Number(build, least + values - 1, type.held_in));
}

StatusOr<GraphValue> DequantizeFloats(OpBuilder& build, const Operand& x,
                                      const NarrowScale& scale) {
  return CastTo(build, x, DType::kFloat32) * ScaleOfEach(build, x, scale);
}

}  // namespace signet
