// Elementwise operators. Most of them are ops of Signet with another name.

#include <algorithm>
#include <optional>

#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/build/tensor_expressions.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

struct SameOp {
  std::string_view name;
  std::string_view op;  // the op of Signet
};

constexpr SameOp kUnary[] = {
    {"onnx.Abs", "abs"},           {"onnx.Acos", "acos"},       {"onnx.Acosh", "acosh"},
    {"onnx.Asin", "asin"},         {"onnx.Asinh", "asinh"},     {"onnx.Atan", "atan"},
    {"onnx.Atanh", "atanh"},       {"onnx.Ceil", "ceil"},       {"onnx.Cos", "cos"},
    {"onnx.Cosh", "cosh"},         {"onnx.Erf", "erf"},         {"onnx.Exp", "exp"},
    {"onnx.Floor", "floor"},       {"onnx.IsNaN", "is_nan"},    {"onnx.Log", "log"},
    {"onnx.Neg", "neg"},           {"onnx.Not", "logical_not"}, {"onnx.Reciprocal", "reciprocal"},
    {"onnx.Relu", "relu"},         {"onnx.Round", "round"},     {"onnx.Sigmoid", "sigmoid"},
    {"onnx.Sign", "sign"},         {"onnx.Sin", "sin"},         {"onnx.Sinh", "sinh"},
    {"onnx.Softplus", "softplus"}, {"onnx.Sqrt", "sqrt"},       {"onnx.Tan", "tan"},
    {"onnx.Tanh", "tanh"},
};

constexpr SameOp kBinary[] = {
    {"onnx.Add", "add"},         {"onnx.And", "logical_and"},
    {"onnx.Div", "div"},         {"onnx.Equal", "equal"},
    {"onnx.Greater", "greater"}, {"onnx.GreaterOrEqual", "greater_equal"},
    {"onnx.Less", "less"},       {"onnx.LessOrEqual", "less_equal"},
    {"onnx.Mul", "mul"},         {"onnx.Or", "logical_or"},
    {"onnx.Sub", "sub"},         {"onnx.Xor", "logical_xor"},
};

// Operators with any number of inputs, applied from left to right.
constexpr SameOp kVariadic[] = {
    {"onnx.Max", "maximum"},
    {"onnx.Min", "minimum"},
    {"onnx.Sum", "add"},
};

std::string_view OpOf(std::span<const SameOp> rows, const OpDef& op) {
  return std::find_if(rows.begin(), rows.end(),
                      [&](const SameOp& row) { return row.name == op.name; })
      ->op;
}

StatusOr<Values> ExpandUnary(OpBuilder& build, const OpCall& call,
                             std::span<const GraphValue> inputs) {
  return build.Call(OpOf(kUnary, call.op), inputs, {});
}

// Before version 7, with the attribute `broadcast`, the second input was aligned with `axis` of the
// first input. Adds trailing dimensions of size 1 to it.
StatusOr<GraphValue> AlignedAsOnce(OpBuilder& build, const OpCall& call,
                                   std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(auto axis, call.attributes.OptionalInt("axis"));
  if (OpsetOf(call) >= 7 || !axis) return inputs[1];
  SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(inputs[0]));
  SIGNET_ASSIGN_OR_RETURN(int at, NormalizeAxis(*axis, rank));
  SIGNET_ASSIGN_OR_RETURN(int own, TensorRank(inputs[1]));
  return WithTrailingOnes(build, inputs[1], rank - at - own);
}

StatusOr<Values> ExpandBinary(OpBuilder& build, const OpCall& call,
                              std::span<const GraphValue> inputs) {
  return build.CallOne(OpOf(kBinary, call.op), {inputs[0], AlignedAsOnce(build, call, inputs)});
}

StatusOr<GraphValue> Combined(OpBuilder& build, std::string_view op,
                              std::span<const GraphValue> inputs) {
  Operand all = inputs[0];
  for (const GraphValue& input : inputs.subspan(1)) all = build.CallOne(op, {all, input});
  return all;
}

StatusOr<Values> ExpandVariadic(OpBuilder& build, const OpCall& call,
                                std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 0).status());
  return OneOutput(Combined(build, OpOf(kVariadic, call.op), inputs));
}

StatusOr<Values> ExpandMean(OpBuilder& build, const OpCall&, std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 0).status());
  Operand sum = Combined(build, "add", inputs);
  if (inputs.size() == 1) return sum;
  return sum / Number(build, static_cast<double>(inputs.size()), sum);
}

// Returns the only element of `x`, if it is known now.
StatusOr<std::optional<double>> KnownNumber(OpBuilder& build, const GraphValue& x) {
  if (build.LookupConstant(x.components[0]) == nullptr) return std::nullopt;
  SIGNET_ASSIGN_OR_RETURN(GraphValue wide, CastTo(build, x, DType::kFloat64));
  const Tensor* known = build.LookupConstant(wide.components[0]);
  if (known == nullptr || known->num_elements() != 1) return std::nullopt;
  return std::optional(known->elements<double>()[0]);
}

// Computes a power without logarithm. Returns no value if that is not possible, changes the shape,
// or differs for a special value: unlike `sqrt`, a power of 0.5 maps -inf to inf and -0 to 0.
StatusOr<GraphValue> EasyPower(OpBuilder& build, const GraphValue& x, const Operand& power,
                               std::optional<double> number) {
  // The rank of `x` is needed only for a power with dimensions.
  if (!number) return GraphValue{};
  SIGNET_ASSIGN_OR_RETURN(int power_rank, TensorRank(power));
  if (power_rank > 0 && !x.spec.shape()->has_rank()) return GraphValue{};
  if (power_rank > 0 && power_rank > x.spec.shape()->rank()) return GraphValue{};
  if (*number == 1) return x;
  if (*number == 2) return build.Square(x);
  if (*number == 3) return build.Square(x) * x;
  if (!IsFloat(TensorDType(x))) return GraphValue{};
  if (*number == -1) return build.Reciprocal(x);
  return GraphValue{};
}

// The result has the dtype of the base. If the power has another dtype, both are cast to a dtype
// that contains both.
StatusOr<Values> ExpandPow(OpBuilder& build, const OpCall& call,
                           std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* y, TensorAt(inputs, 1));
  SIGNET_ASSIGN_OR_RETURN(GraphValue power, AlignedAsOnce(build, call, inputs));
  SIGNET_ASSIGN_OR_RETURN(auto number, KnownNumber(build, power));
  SIGNET_ASSIGN_OR_RETURN(GraphValue easy, EasyPower(build, inputs[0], power, number));
  if (easy.spec) return OneOutput(easy);
  DType dtype = x->dtype();
  // float32 cannot represent all exponents of more than 24 bits.
  const bool is_wide = IsInteger(y->dtype()) && SizeOf(y->dtype()) > 2;
  if ((IsInteger(dtype) && IsFloat(y->dtype())) || (dtype == DType::kFloat32 && is_wide)) {
    dtype = DType::kFloat64;
  } else if (IsInteger(dtype) && SizeOf(y->dtype()) > SizeOf(dtype)) {
    dtype = DType::kInt64;
  }
  Expr result = build.Pow(CastTo(build, inputs[0], dtype), CastTo(build, power, dtype));
  return CastTo(build, result, x->dtype());
}

StatusOr<Values> ExpandMod(OpBuilder& build, const OpCall& call,
                           std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int64_t fmod, call.attributes.Int("fmod"));
  return build.Mod(inputs[0], inputs[1], {.truncated = fmod != 0});
}

// Before version 11, the bounds were float32 attributes.
StatusOr<Values> ExpandClip(OpBuilder& build, const OpCall& call,
                            std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorAt(inputs, 0));
  Operand bounds[2] = {GraphValue{}, GraphValue{}};
  constexpr std::string_view kNames[] = {"min", "max"};
  for (size_t i = 0; i < 2; ++i) {
    if (IsGiven(inputs, i + 1)) {
      bounds[i] = CastTo(build, AsScalar(build, inputs[i + 1]), x->dtype());
    } else if (!IsNone(call.attributes, kNames[i])) {
      SIGNET_ASSIGN_OR_RETURN(double bound, call.attributes.Float(kNames[i]));
      bounds[i] = Number(build, bound, x->dtype());
    }
  }
  if (!IsGiven(bounds[0]) && !IsGiven(bounds[1])) return OneOutput(inputs[0]);
  return build.Clip(inputs[0], bounds[0], bounds[1]);
}

}  // namespace

std::vector<OpDef> OnnxElementwiseOps() {
  // Hints of the first versions, which are ignored.
  const AttributeDef consumed = {"consumed_inputs", NoneAttribute()};
  const std::vector<AttributeDef> broadcast = {
      OpsetAttribute(), {"broadcast", AttributeOf(0)}, {"axis", NoneAttribute()}, consumed};
  std::vector<OpDef> ops;
  auto add = [&](std::span<const SameOp> rows, std::vector<std::string> inputs,
                 std::vector<AttributeDef> attributes, ExpandFn expand) {
    for (const SameOp& row : rows) {
      ops.push_back(OnnxOp(std::string(row.name), Cat("Does what `", row.op, "` does"), inputs,
                           attributes, expand));
    }
  };
  add(kUnary, {"X"}, {consumed}, ExpandUnary);
  add(kBinary, {"A", "B"}, broadcast, ExpandBinary);
  add(kVariadic, {"data_0..."}, {consumed}, ExpandVariadic);
  ops.push_back(OnnxOp("onnx.Mean", "Takes the mean of any number of tensors", {"data_0..."},
                       {consumed}, ExpandMean));
  ops.push_back(OnnxOp("onnx.Pow", "Raises to a power", {"X", "Y"}, broadcast, ExpandPow));
  ops.push_back(
      OnnxOp("onnx.Mod", "Takes the remainder", {"A", "B"}, {{"fmod", AttributeOf(0)}}, ExpandMod));
  ops.push_back(OnnxOp("onnx.Clip", "Keeps elements between two bounds", {"input", "min?", "max?"},
                       {{"min", NoneAttribute()}, {"max", NoneAttribute()}, consumed}, ExpandClip));
  return ops;
}

}  // namespace signet
