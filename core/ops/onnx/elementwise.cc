// Operators that work element by element: most are other ops by another name.

#include <algorithm>

#include "core/ops/onnx/inputs.h"
#include "core/ops/onnx/onnx_ops.h"

namespace signet {
namespace {

struct Row {
  std::string_view name;
  std::string_view op;  // that does the same
};

constexpr Row kUnary[] = {
    {"onnx.Abs", "abs"},           {"onnx.Acos", "acos"},       {"onnx.Asin", "asin"},
    {"onnx.Atan", "atan"},         {"onnx.Ceil", "ceil"},       {"onnx.Cos", "cos"},
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

StatusOr<std::vector<GraphValue>> ExpandUnary(Expander& expander, const OpCall& call,
                                              std::span<const GraphValue> inputs) {
  return expander.Call(OpOf(kUnary, call.op), inputs, {});
}

StatusOr<std::vector<GraphValue>> ExpandBinary(Expander& expander, const OpCall& call,
                                               std::span<const GraphValue> inputs) {
  return expander.Call(OpOf(kBinary, call.op), inputs, {});
}

StatusOr<std::vector<GraphValue>> ExpandVariadic(Expander& expander, const OpCall& call,
                                                 std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 0).status());
  GraphValue all = inputs[0];
  for (const GraphValue& input : inputs.subspan(1)) {
    SIGNET_ASSIGN_OR_RETURN(all, expander.Call1(OpOf(kVariadic, call.op), {all, input}));
  }
  return std::vector<GraphValue>{all};
}

}  // namespace

std::vector<OpDef> OnnxElementwiseOps() {
  std::vector<OpDef> ops;
  auto add = [&](std::span<const Row> rows, std::vector<std::string> inputs, ExpandFn expand) {
    for (const Row& row : rows) {
      ops.push_back(
          OnnxOp(std::string(row.name), Cat("Does what `", row.op, "` does"), inputs, {}, expand));
    }
  };
  add(kUnary, {"X"}, ExpandUnary);
  add(kBinary, {"A", "B"}, ExpandBinary);
  add(kVariadic, {"data_0..."}, ExpandVariadic);
  return ops;
}

}  // namespace signet
