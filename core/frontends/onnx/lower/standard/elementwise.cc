// Operators that work element by element: most are other ops by another name.

#include <algorithm>
#include <optional>

#include "core/frontends/onnx/lower/build/arithmetic.h"
#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

struct Row {
  std::string_view name;
  std::string_view op;  // that does the same
};

constexpr Row kUnary[] = {
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

constexpr Row kBinary[] = {
    {"onnx.Add", "add"},         {"onnx.And", "logical_and"},
    {"onnx.Div", "div"},         {"onnx.Equal", "equal"},
    {"onnx.Greater", "greater"}, {"onnx.GreaterOrEqual", "greater_equal"},
    {"onnx.Less", "less"},       {"onnx.LessOrEqual", "less_equal"},
    {"onnx.Mul", "mul"},         {"onnx.Or", "logical_or"},
    {"onnx.Sub", "sub"},         {"onnx.Xor", "logical_xor"},
};

// Of any number of inputs, from left to right.
constexpr Row kVariadic[] = {
    {"onnx.Max", "maximum"},
    {"onnx.Min", "minimum"},
    {"onnx.Sum", "add"},
};

std::string_view OpOf(std::span<const Row> rows, const OpDef& op) {
  return std::find_if(rows.begin(), rows.end(), [&](const Row& row) { return row.name == op.name; })
      ->op;
}

StatusOr<Values> ExpandUnary(OpBuilder& build, const OpCall& call,
                             std::span<const GraphValue> inputs) {
  return build.Call(OpOf(kUnary, call.op), inputs, {});
}

// Before version 7 the second input lay at `axis` of the first, where `broadcast` said so: it gets
// dimensions of size 1 behind it.
GraphValue AlignedAsOnce(Arithmetic& f, const OpCall& call, std::span<const GraphValue> inputs) {
  GraphValue b = inputs[1];
  auto axis = f.Take(call.attributes.OptionalInt("axis"));
  if (OpsetOf(call) >= 7 || !axis) return b;
  int rank = f.RankOf(inputs[0]);
  auto at = f.Take(NormalizeAxis(*axis, rank));
  return f.WithOnesBehind(std::move(b), rank - at - f.RankOf(b));
}

StatusOr<Values> ExpandBinary(OpBuilder& build, const OpCall& call,
                              std::span<const GraphValue> inputs) {
  Arithmetic f(build);
  return f.Give(f(OpOf(kBinary, call.op), {inputs[0], AlignedAsOnce(f, call, inputs)}));
}

GraphValue Combined(Arithmetic& f, std::string_view op, std::span<const GraphValue> inputs) {
  GraphValue all = inputs[0];
  for (const GraphValue& input : inputs.subspan(1)) all = f(op, {all, input});
  return all;
}

StatusOr<Values> ExpandVariadic(OpBuilder& build, const OpCall& call,
                                std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 0).status());
  Arithmetic f(build);
  return f.Give(Combined(f, OpOf(kVariadic, call.op), inputs));
}

StatusOr<Values> ExpandMean(OpBuilder& build, const OpCall&, std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 0).status());
  Arithmetic f(build);
  GraphValue sum = Combined(f, "add", inputs);
  if (inputs.size() == 1) return f.Give(sum);
  return f.Give(f("div", {sum, f.Number(static_cast<double>(inputs.size()), sum)}));
}

// The one number of `x`, when it is known now.
std::optional<double> KnownNumber(OpBuilder& build, const GraphValue& x) {
  if (build.LookupConstant(x.components[0]) == nullptr) return std::nullopt;
  Arithmetic f(build);
  GraphValue wide = f.Cast(x, DType::kFloat64);
  const Tensor* known = f.ok() ? build.LookupConstant(wide.components[0]) : nullptr;
  if (known == nullptr || known->num_elements() != 1) return std::nullopt;
  return known->elements<double>()[0];
}

// A power that needs no logarithm; nothing where it is another, or would change the shape.
GraphValue EasyPower(Arithmetic& f, const GraphValue& x, const GraphValue& power,
                     std::optional<double> number) {
  // The rank of `x` matters for a power with dimensions only.
  if (!number || (f.RankOf(power) > 0 && !x.spec.shape()->has_rank())) return {};
  if (f.RankOf(power) > 0 && f.RankOf(power) > f.RankOf(x)) return {};
  if (*number == 1) return x;
  if (*number == 2) return f("square", {x});
  if (*number == 3) return f("mul", {f("square", {x}), x});
  if (!IsFloat(f.DTypeOf(x))) return {};
  if (*number == 0.5) return f("sqrt", {x});
  if (*number == -0.5) return f("rsqrt", {x});
  if (*number == -1) return f("reciprocal", {x});
  return {};
}

// The result is of the dtype of the base. Where the power is of another, both are taken to one that
// holds them.
StatusOr<Values> ExpandPow(OpBuilder& build, const OpCall& call,
                           std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorAt(inputs, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* y, TensorAt(inputs, 1));
  Arithmetic f(build);
  GraphValue power = AlignedAsOnce(f, call, inputs);
  if (!f.ok()) return f.status();
  GraphValue easy = EasyPower(f, inputs[0], power, KnownNumber(build, power));
  if (easy.spec) return f.Give(easy);
  DType dtype = x->dtype();
  // An exponent of more than 24 bits is none of float32.
  const bool is_wide = IsInteger(y->dtype()) && SizeOf(y->dtype()) > 2;
  if ((IsInteger(dtype) && IsFloat(y->dtype())) || (dtype == DType::kFloat32 && is_wide)) {
    dtype = DType::kFloat64;
  } else if (IsInteger(dtype) && SizeOf(y->dtype()) > SizeOf(dtype)) {
    dtype = DType::kInt64;
  }
  GraphValue result = f("pow", {f.Cast(inputs[0], dtype), f.Cast(power, dtype)});
  return f.Give(f.Cast(result, x->dtype()));
}

StatusOr<Values> ExpandMod(OpBuilder& build, const OpCall& call,
                           std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(int64_t fmod, call.attributes.Int("fmod"));
  return build.Call("mod", inputs, Attributes({{"truncated", AttributeOf(fmod != 0)}}));
}

// Bounds were attributes, of float32, before version 11.
StatusOr<Values> ExpandClip(OpBuilder& build, const OpCall& call,
                            std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorAt(inputs, 0));
  Arithmetic f(build);
  GraphValue bounds[2];
  constexpr std::string_view kNames[] = {"min", "max"};
  for (size_t i = 0; i < 2; ++i) {
    if (IsGiven(inputs, i + 1)) {
      bounds[i] = f.Cast(f.AsScalar(inputs[i + 1]), x->dtype());
    } else if (!IsNone(call.attributes, kNames[i])) {
      SIGNET_ASSIGN_OR_RETURN(double bound, call.attributes.Float(kNames[i]));
      bounds[i] = f.Number(bound, x->dtype());
    }
  }
  if (!bounds[0].spec && !bounds[1].spec) return f.Give(inputs[0]);
  return f.Give(f("clip", {inputs[0], bounds[0], bounds[1]}));
}

}  // namespace

std::vector<OpDef> OnnxElementwiseOps() {
  // Hints of the first versions, which mean nothing now.
  const AttributeDef consumed = {"consumed_inputs", NoneAttribute()};
  const std::vector<AttributeDef> broadcast = {
      OpsetAttribute(), {"broadcast", AttributeOf(0)}, {"axis", NoneAttribute()}, consumed};
  std::vector<OpDef> ops;
  auto add = [&](std::span<const Row> rows, std::vector<std::string> inputs,
                 std::vector<AttributeDef> attributes, ExpandFn expand) {
    for (const Row& row : rows) {
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
