// Operators on integers with a scale and a zero point.

#include "core/frontends/onnx/lower/build/dtypes.h"
#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/build/narrow.h"
#include "core/frontends/onnx/lower/build/quantized.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

StatusOr<NarrowScale> ScaleOf(const OpCall& call, std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int64_t axis, call.attributes.Int("axis"));
  SIGNET_ASSIGN_OR_RETURN(int64_t block, call.attributes.Int("block_size"));
  return NarrowScale{inputs[1],
                     Attributes({{"axis", AttributeOf(axis)}, {"block_size", AttributeOf(block)}})};
}

StatusOr<Values> ExpandQuantize(OpBuilder& build, const OpCall& call,
                                std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(NarrowScale scale, ScaleOf(call, inputs));
  SIGNET_ASSIGN_OR_RETURN(int64_t type, call.attributes.Int("output_dtype"));
  GraphValue zero_point = InputOr(inputs, 2);
  if (const NarrowType* narrow = LookupNarrowType(type)) {
    SIGNET_ASSIGN_OR_RETURN(int64_t saturate, call.attributes.Int("saturate"));
    return OneOutput(QuantizeToNarrow(build, inputs[0], scale, zero_point, *narrow, saturate != 0));
  }
  if (type != 0) {
    SIGNET_ASSIGN_OR_RETURN(DType dtype, OnnxDTypeAttribute(type, "output_dtype"));
    scale.attributes = scale.attributes.With("dtype", AttributeOf(dtype));
  }
  return build.CallOne("quantize", {inputs[0], scale.scale, zero_point}, scale.attributes);
}

StatusOr<Values> ExpandDequantize(OpBuilder& build, const OpCall& call,
                                  std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(NarrowScale scale, ScaleOf(call, inputs));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* scales, TensorAt(inputs, 1));
  SIGNET_ASSIGN_OR_RETURN(int64_t type, call.attributes.Int("output_dtype"));
  DType dtype = scales->dtype();
  if (type != 0) {
    SIGNET_ASSIGN_OR_RETURN(dtype, OnnxDTypeAttribute(type, "output_dtype"));
  }
  if (IsFloat(x->dtype())) return CastTo(build, DequantizeFloats(build, inputs[0], scale), dtype);
  return build.CallOne("dequantize", {inputs[0], scale.scale, InputOr(inputs, 2)},
                       scale.attributes.With("dtype", AttributeOf(dtype)));
}

StatusOr<Values> ExpandDynamic(OpBuilder& build, const OpCall&,
                               std::span<const GraphValue> inputs) {
  return build.DynamicQuantize(inputs[0]);
}

// --- products -----------------------------------------------------------------------------------

StatusOr<Values> ExpandMatMulInteger(OpBuilder& build, const OpCall&,
                                     std::span<const GraphValue> inputs) {
  return OneOutput(
      IntegerProduct(build, inputs[0], InputOr(inputs, 2), inputs[1], InputOr(inputs, 3)));
}

StatusOr<Values> ExpandQLinearMatMul(OpBuilder& build, const OpCall&,
                                     std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(QuantizedValue a, QuantizedAt(build, inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(QuantizedValue b, QuantizedAt(build, inputs, 3));
  SIGNET_ASSIGN_OR_RETURN(QuantizedValue y, QuantizedAt(build, inputs, 5));  // y has no integers
  Operand sums = IntegerProduct(build, a.x, a.zero, b.x, b.zero);
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* scale, TensorAt(inputs, 4));
  bool one_each_column = IsOneNumber(a.scale) && IsOneNumber(y.scale) && IsOneNumber(y.zero) &&
                         scale->shape().has_rank() && scale->shape().rank() <= 1;
  if (one_each_column) {
    return OneOutput(Rescaled(build, sums, a.scale, b.scale, y.scale, y.zero, -1));
  }
  Expr multiplier = build.Mul(AsColumn(build, a.scale), b.scale) / AsColumn(build, y.scale);
  Expr numbers = CastTo(build, sums, DType::kFloat32) * multiplier;
  if (IsOneNumber(y.zero)) {
    GraphValue one = build.Constant(Tensor::Scalar(1.0F));
    return OneOutput(Quantized(build, numbers, one, OneAsScalar(build, y.zero)));
  }
  // One zero point per row.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* zero, TensorAt(inputs, 7));
  Expr ones = build.OnesLike(CastTo(build, y.zero, DType::kFloat32));
  if (zero->shape().has_rank() && zero->shape().rank() > 1) {
    return Unimplemented(
        "zero points of the result: expected one, or a vector with one per row, found `",
        y.zero.spec, "`");
  }
  return OneOutput(Quantized(build, numbers, ones, y.zero, -2));
}

// --- attributes ---------------------------------------------------------------------------------

std::vector<AttributeDef> ScalingDefs() {
  return {{"axis", AttributeOf(1)},
          {"block_size", AttributeOf(0)},
          {"output_dtype", AttributeOf(0)},
          {"saturate", AttributeOf(1)},
          {"precision", AttributeOf(0)}};
}

}  // namespace

std::vector<OpDef> OnnxQuantizationOps() {
  return {
      OnnxOp("onnx.com.microsoft.QuantizeLinear", "Makes numbers small integers or floats",
             {"x", "y_scale", "y_zero_point?"}, ScalingDefs(), ExpandQuantize),
      OnnxOp("onnx.com.microsoft.DequantizeLinear", "Gives the numbers that integers stand for",
             {"x", "x_scale", "x_zero_point?"}, ScalingDefs(), ExpandDequantize),
      OnnxOp("onnx.QuantizeLinear", "Makes numbers small integers or floats",
             {"x", "y_scale", "y_zero_point?"}, ScalingDefs(), ExpandQuantize),
      OnnxOp("onnx.DequantizeLinear", "Gives the numbers that integers stand for",
             {"x", "x_scale", "x_zero_point?"}, ScalingDefs(), ExpandDequantize),
      OnnxOp("onnx.DynamicQuantizeLinear", "Makes numbers uint8 by their range", {"x"}, {},
             ExpandDynamic),
      OnnxOp("onnx.MatMulInteger", "Multiplies matrices of 8-bit integers",
             {"A", "B", "a_zero_point?", "b_zero_point?"}, {}, ExpandMatMulInteger),
      OnnxOp("onnx.QLinearMatMul", "Multiplies matrices of integers with scales",
             {"a", "a_scale", "a_zero_point", "b", "b_scale", "b_zero_point", "y_scale",
              "y_zero_point"},
             {}, ExpandQLinearMatMul),
  };
}

}  // namespace signet
