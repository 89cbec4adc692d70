// Quantized operators of com.microsoft, which ONNX Runtime's quantizer writes.

#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/build/quantized.h"
#include "core/frontends/onnx/lower/contrib/contrib_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"
#include "signet/tensor_spec.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

// Calls the operator `name` on numbers, with those attributes of `call` that it has.
Expr Applied(OpBuilder& build, std::string_view name, const OpCall& call, const Operand& x,
             std::initializer_list<std::string_view> attributes) {
  Attributes own;
  for (std::string_view attribute : attributes) {
    own = own.With(attribute, call.attributes.Lookup(attribute));
  }
  return build.CallOne(name, {x}, own);
}

// Returns the numbers that inputs i, i + 1, and i + 2 represent.
StatusOr<GraphValue> NumbersAt(OpBuilder& build, std::span<const GraphValue> inputs, size_t i) {
  SIGNET_ASSIGN_OR_RETURN(QuantizedValue value, QuantizedAt(build, inputs, i));
  return Dequantized(build, value);
}

// The inputs are A, B, and the scale and zero point of the result.
StatusOr<Values> ExpandBinary(OpBuilder& build, const OpCall& call,
                              std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(QuantizedValue out, QuantizedAt(build, inputs, 5));
  bool adds = call.op.name == "onnx.com.microsoft.QLinearAdd";
  Expr a = build.AsExpr(NumbersAt(build, inputs, 0));
  Expr b = build.AsExpr(NumbersAt(build, inputs, 3));
  Expr numbers = adds ? a + b : a * b;
  return OneOutput(Quantized(build, numbers, out.scale, out.zero));
}

// The inputs are X, and the scale and zero point of the result.
StatusOr<Values> ExpandUnary(OpBuilder& build, const OpCall& call,
                             std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(QuantizedValue out, QuantizedAt(build, inputs, 2));
  Operand x = NumbersAt(build, inputs, 0);
  std::string_view name =
      std::string_view(call.op.name).substr(sizeof("onnx.com.microsoft.QLinear") - 1);
  Operand y;
  if (name == "Sigmoid") y = build.Sigmoid(x);
  if (name == "LeakyRelu") y = Applied(build, "onnx.LeakyRelu", call, x, {"alpha"});
  if (name == "Softmax") {
    SIGNET_ASSIGN_OR_RETURN(int64_t opset, call.attributes.Int("opset"));
    SIGNET_ASSIGN_OR_RETURN(int64_t axis, call.attributes.Int("axis"));
    y = build.CallOne("onnx.Softmax", {x},
                      Attributes({{"axis", AttributeOf(axis)}, {"opset", AttributeOf(opset)}}));
  }
  if (name == "AveragePool") {
    SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
    SIGNET_ASSIGN_OR_RETURN(int64_t last, call.attributes.Int("channels_last"));
    if (last != 0) x = MoveChannels(build, x, rank, true);
    y = Applied(build, "onnx.AveragePool", call, x,
                {"auto_pad", "ceil_mode", "count_include_pad", "kernel_shape", "pads", "strides"});
    if (last != 0) y = MoveChannels(build, y, rank, false);
  }
  if (name == "ReduceMean") {
    y = Applied(build, "onnx.ReduceMean", call, x, {"axes", "keepdims"});
  }
  return OneOutput(Quantized(build, y, out.scale, out.zero));
}

StatusOr<Values> ExpandGlobalAveragePool(OpBuilder& build, const OpCall& call,
                                         std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int rank, RankAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(int64_t last, call.attributes.Int("channels_last"));
  std::vector<int64_t> axes;
  for (int axis = last != 0 ? 1 : 2; axis < (last != 0 ? rank - 1 : rank); ++axis) {
    axes.push_back(axis);
  }
  SIGNET_ASSIGN_OR_RETURN(QuantizedValue out, QuantizedAt(build, inputs, 2));
  Expr mean = build.ReduceMean(NumbersAt(build, inputs, 0), {.axes = axes, .keepdims = true});
  return OneOutput(Quantized(build, mean, out.scale, out.zero));
}

StatusOr<Values> ExpandConcat(OpBuilder& build, const OpCall& call,
                              std::span<const GraphValue> inputs) {
  if (inputs.size() < 5 || inputs.size() % 3 != 2) {
    return InvalidArgument(
        "expected a scale, a zero point, and then three inputs per tensor, found ", inputs.size(),
        " inputs");
  }
  std::vector<Operand> parts;
  for (size_t i = 2; i < inputs.size(); i += 3) {
    parts.push_back(NumbersAt(build, inputs, i));
  }
  Expr joined = build.CallOne("concat", parts, call.attributes);
  Expr scale = CastTo(build, inputs[0], DType::kFloat32);
  return OneOutput(Quantized(build, joined, scale, inputs[1]));
}

StatusOr<Values> ExpandWhere(OpBuilder& build, const OpCall&, std::span<const GraphValue> inputs) {
  Expr numbers = build.Select(inputs[0], NumbersAt(build, inputs, 1), NumbersAt(build, inputs, 4));
  SIGNET_ASSIGN_OR_RETURN(QuantizedValue out, QuantizedAt(build, inputs, 6));
  return OneOutput(Quantized(build, numbers, out.scale, out.zero));
}

// --- products -----------------------------------------------------------------------------------

// Converts sums of products to numbers: multiplies by the scales of both sides.
StatusOr<GraphValue> NumbersOf(OpBuilder& build, const Operand& sums, const GraphValue& a_scale,
                               const GraphValue& b_scale, const GraphValue& bias) {
  Expr scale = build.Mul(OneAsScalar(build, a_scale), OneAsScalar(build, b_scale));
  Expr numbers = build.Dequantize(sums, scale, {.axis = -1});
  return bias.spec ? numbers + bias : numbers;
}

StatusOr<Values> ExpandDynamicMatMul(OpBuilder& build, const OpCall&,
                                     std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(Values a, build.DynamicQuantize(inputs[0]));
  Operand sums = IntegerProduct(build, a[0], a[2], inputs[1], InputOr(inputs, 3));
  return OneOutput(NumbersOf(build, sums, a[1], inputs[2], InputOr(inputs, 4)));
}

StatusOr<Values> ExpandMatMulToFloat(OpBuilder& build, const OpCall&,
                                     std::span<const GraphValue> inputs) {
  Operand sums =
      IntegerProduct(build, inputs[0], InputOr(inputs, 4), inputs[1], InputOr(inputs, 5));
  return OneOutput(NumbersOf(build, sums, inputs[2], inputs[3], InputOr(inputs, 6)));
}

// The inputs are A, B, an int32 bias, and the scale and zero point of the result. Without a scale,
// the result is float32.
StatusOr<Values> ExpandQuantizedGemm(OpBuilder& build, const OpCall& call,
                                     std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(double alpha, call.attributes.Float("alpha"));
  SIGNET_ASSIGN_OR_RETURN(int64_t transpose_a, call.attributes.Int("transA"));
  SIGNET_ASSIGN_OR_RETURN(int64_t transpose_b, call.attributes.Int("transB"));
  SIGNET_ASSIGN_OR_RETURN(QuantizedValue a, QuantizedAt(build, inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(QuantizedValue b, QuantizedAt(build, inputs, 3));
  if (transpose_a != 0) {
    SIGNET_ASSIGN_OR_RETURN(a.x, build.Transpose(a.x));
  }
  if (transpose_b != 0) {
    SIGNET_ASSIGN_OR_RETURN(b.x, build.Transpose(b.x));
  }
  Operand sums = IntegerProduct(build, a.x, a.zero, b.x, b.zero);
  if (IsGiven(inputs, 6)) sums = build.Add(sums, inputs[6]);
  Expr scale = build.Mul(OneAsScalar(build, a.scale), OneAsScalar(build, b.scale));
  if (alpha != 1) scale = scale * build.Constant(Tensor::Scalar(static_cast<float>(alpha)));
  if (!IsGiven(inputs, 7)) return build.Dequantize(sums, scale, {.axis = -1});
  SIGNET_ASSIGN_OR_RETURN(QuantizedValue out, QuantizedAt(build, inputs, 6));
  Expr multiplier = scale / OneAsScalar(build, out.scale);
  return build.Requantize(sums, multiplier, OneAsScalar(build, out.zero), {.axis = -1});
}

OpDef Unary(std::string_view name, std::string summary, std::vector<AttributeDef> attributes) {
  return OnnxOp(ContribName(name), std::move(summary),
                {"X", "X_scale", "X_zero_point?", "Y_scale?", "Y_zero_point?"},
                std::move(attributes), ExpandUnary);
}

}  // namespace

std::vector<OpDef> OnnxQuantizedContribOps() {
  const std::vector<std::string> two = {"A",       "A_scale",      "A_zero_point", "B",
                                        "B_scale", "B_zero_point", "C_scale",      "C_zero_point?"};
  return {
      OnnxOp(ContribName("QLinearAdd"), "Adds quantized numbers", two, {}, ExpandBinary),
      OnnxOp(ContribName("QLinearMul"), "Multiplies quantized numbers", two, {}, ExpandBinary),
      Unary("QLinearSigmoid", "Takes the sigmoid of quantized numbers", {}),
      Unary("QLinearLeakyRelu", "Makes quantized numbers below 0 smaller",
            {{"alpha", AttributeOf(0.01)}}),
      Unary("QLinearSoftmax", "Takes the softmax of quantized numbers",
            {{"axis", AttributeOf(-1)}, {"opset", AttributeOf(13)}}),
      Unary("QLinearAveragePool", "Takes means of quantized numbers over windows",
            {{"auto_pad", AttributeOf("NOTSET")},
             {"ceil_mode", AttributeOf(0)},
             {"channels_last", AttributeOf(0)},
             {"count_include_pad", AttributeOf(0)},
             {"kernel_shape"},
             {"pads", NoneAttribute()},
             {"strides", NoneAttribute()}}),
      Unary("QLinearReduceMean", "Takes means of quantized numbers",
            {{"axes", NoneAttribute()}, {"keepdims", AttributeOf(1)}}),
      OnnxOp(ContribName("QLinearGlobalAveragePool"),
             "Takes means of quantized numbers over planes",
             {"X", "X_scale", "X_zero_point", "Y_scale", "Y_zero_point"},
             {{"channels_last", AttributeOf(0)}}, ExpandGlobalAveragePool),
      OnnxOp(ContribName("QLinearConcat"), "Joins quantized numbers along an axis", {"inputs..."},
             {{"axis"}}, ExpandConcat),
      OnnxOp(ContribName("QLinearWhere"), "Picks from quantized numbers",
             {"condition", "X", "X_scale", "X_zero_point", "Y", "Y_scale", "Y_zero_point",
              "Z_scale", "Z_zero_point"},
             {}, ExpandWhere),
      OnnxOp(ContribName("DynamicQuantizeMatMul"), "Multiplies numbers with quantized ones",
             {"A", "B", "b_scale", "b_zero_point?", "bias?"}, {}, ExpandDynamicMatMul),
      OnnxOp(ContribName("MatMulIntegerToFloat"), "Multiplies quantized numbers into numbers",
             {"A", "B", "a_scale", "b_scale", "a_zero_point?", "b_zero_point?", "bias?"}, {},
             ExpandMatMulToFloat),
      OnnxOp(ContribName("QGemm"), "Multiplies quantized matrices and adds a bias",
             {"A", "a_scale", "a_zero_point", "B", "b_scale", "b_zero_point", "C?", "y_scale?",
              "y_zero_point?"},
             {{"alpha", AttributeOf(1.0)}, {"transA", AttributeOf(0)}, {"transB", AttributeOf(0)}},
             ExpandQuantizedGemm),
  };
}

}  // namespace signet
