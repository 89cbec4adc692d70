#include "core/frontends/onnx/lower/build/narrow.h"

namespace signet {
namespace {

GraphValue RoundToFormat(Arithmetic& f, const GraphValue& x, const NarrowType& type, bool saturates,
                         std::string_view rounding = "nearest") {
  GraphValue rounded = f("round_to", {f.Cast(x, DType::kFloat32)},
                         Attributes({{"format", AttributeOf(type.format)},
                                     {"saturate", AttributeOf(saturates)},
                                     {"rounding", AttributeOf(rounding)}}));
  return f.Cast(rounded, type.held_in);
}

// The scale of each element of `x`.
GraphValue ScaleOfEach(Arithmetic& f, const GraphValue& x, const NarrowScale& scale) {
  GraphValue ones = f("ones_like", {f.Cast(x, DType::kInt8)});
  return f("dequantize", {ones, scale.scale, GraphValue()},
           scale.attributes.With("dtype", AttributeOf(DType::kFloat32)));
}

}  // namespace

GraphValue CastToNarrow(Arithmetic& f, const GraphValue& x, const NarrowType& type, bool saturates,
                        std::string_view rounding) {
  if (!type.format.empty()) return RoundToFormat(f, x, type, saturates, rounding);
  GraphValue whole = x;
  DType dtype = Arithmetic::DTypeOf(x);
  if (IsFloat(dtype) || dtype == DType::kString) {
    whole = f("round", {f.Cast(x, dtype == DType::kFloat64 ? dtype : DType::kFloat32)});
  }
  whole = f.Cast(whole, DType::kInt32);
  GraphValue mask = f.Number((1 << type.bits) - 1, DType::kInt32);
  if (type.held_in == DType::kUInt8) {
    whole = f("bitwise_and", {whole, mask});
  } else {
    GraphValue half = f.Number(1 << (type.bits - 1), DType::kInt32);
    whole = f("sub", {f("bitwise_and", {f("add", {whole, half}), mask}), half});
  }
  return f.Cast(whole, type.held_in);
}

GraphValue QuantizeToNarrow(Arithmetic& f, const GraphValue& x, const NarrowScale& scale,
                            const GraphValue& zero_point, const NarrowType& type, bool saturates) {
  if (!type.format.empty()) {
    GraphValue number = f("div", {f.Cast(x, DType::kFloat32), ScaleOfEach(f, x, scale)});
    return RoundToFormat(f, number, type, saturates);
  }
  GraphValue wide = f("quantize", {x, scale.scale, zero_point},
                      scale.attributes.With("dtype", AttributeOf(type.held_in)));
  bool is_signed = type.held_in == DType::kInt8;
  int values = 1 << type.bits;
  int least = is_signed ? -values / 2 : 0;
  return f("clip",
           {wide, f.Number(least, type.held_in), f.Number(least + values - 1, type.held_in)});
}

GraphValue DequantizeFloats(Arithmetic& f, const GraphValue& x, const NarrowScale& scale) {
  return f("mul", {f.Cast(x, DType::kFloat32), ScaleOfEach(f, x, scale)});
}

}  // namespace signet
