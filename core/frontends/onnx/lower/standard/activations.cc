// Activations, with one formula each.

#include <algorithm>

#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/build/tensor_expressions.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

// Returns the attributes of a call, by name, as scalars with the dtype of the input.
class Numbers {
 public:
  Numbers(OpBuilder& build, const OpCall& call, const Operand& x)
      : build_(build), call_(call), x_(x) {}

  double Value(std::string_view name) const { return *call_.attributes.Float(name); }  // checked
  Expr operator()(std::string_view name) const { return (*this)(Value(name)); }
  Expr operator()(double value) const { return Number(build_, value, x_); }

 private:
  OpBuilder& build_;
  const OpCall& call_;
  const Operand x_;
};

Expr BelowZero(OpBuilder& build, const Operand& x) { return build.Less(x, Number(build, 0, x)); }

Expr LeakyRelu(OpBuilder& build, const Operand& x, const Numbers& n) {
  return build.Select(BelowZero(build, x), x * n("alpha"), x);
}

Expr Elu(OpBuilder& build, const Operand& x, const Numbers& n) {
  return build.Select(BelowZero(build, x), build.Expm1(x) * n("alpha"), x);
}

Expr Selu(OpBuilder& build, const Operand& x, const Numbers& n) {
  Expr scale = n(n.Value("alpha") * n.Value("gamma"));
  Expr below = build.Expm1(x) * scale;
  return build.Select(BelowZero(build, x), below, x * n("gamma"));
}

Expr Celu(OpBuilder& build, const Operand& x, const Numbers& n) {
  Expr shrunk = build.Expm1(x / n("alpha"));
  return build.Select(BelowZero(build, x), shrunk * n("alpha"), x);
}

Expr ThresholdedRelu(OpBuilder& build, const Operand& x, const Numbers& n) {
  return build.Select(build.Greater(x, n("alpha")), x, n(0.0));
}

Expr Ramp(OpBuilder& build, const Operand& x, const Numbers& n, double slope, double shift) {
  return build.Clip(x * n(slope) + n(shift), n(0.0), n(1.0));
}

Expr HardSigmoid(OpBuilder& build, const Operand& x, const Numbers& n) {
  return Ramp(build, x, n, n.Value("alpha"), n.Value("beta"));
}

Expr HardSwish(OpBuilder& build, const Operand& x, const Numbers& n) {
  return x * Ramp(build, x, n, 1.0 / 6, 0.5);
}

Expr Swish(OpBuilder& build, const Operand& x, const Numbers& n) {
  bool plain = n.Value("alpha") == 1;
  return x * build.Sigmoid(plain ? x : Operand(x * n("alpha")));
}

Expr Mish(OpBuilder& build, const Operand& x, const Numbers&) {
  return x * build.Tanh(build.Softplus(x));
}

Expr Softsign(OpBuilder& build, const Operand& x, const Numbers& n) {
  return x / (build.Abs(x) + n(1.0));
}

Expr Shrink(OpBuilder& build, const Operand& x, const Numbers& n) {
  Expr below = build.Less(x, n(-n.Value("lambd")));
  Expr above = build.Greater(x, n("lambd"));
  Expr bias = n("bias");
  Expr outer = build.Select(above, x - bias, n(0.0));
  return build.Select(below, x + bias, outer);
}

struct Default {
  std::string_view name;
  double value;
};

struct ActivationRow {
  std::string_view name;
  std::string_view summary;
  std::vector<Default> attributes;
  Expr (*formula)(OpBuilder& build, const Operand& x, const Numbers& n);
};

const std::vector<ActivationRow>& ActivationRows() {
  static const auto* const rows = new std::vector<ActivationRow>{
      {"onnx.Celu", "Applies the continuous exponential linear unit", {{"alpha", 1}}, Celu},
      {"onnx.Elu", "Applies the exponential linear unit", {{"alpha", 1}}, Elu},
      {"onnx.HardSigmoid",
       "Applies a line between 0 and 1",
       {{"alpha", 0.2}, {"beta", 0.5}},
       HardSigmoid},
      {"onnx.HardSwish", "Multiplies by a line between 0 and 1", {}, HardSwish},
      {"onnx.LeakyRelu", "Makes what is below 0 smaller", {{"alpha", 0.01}}, LeakyRelu},
      {"onnx.Mish", "Multiplies by tanh(softplus(x))", {}, Mish},
      {"onnx.Selu",
       "Applies the scaled exponential linear unit",
       {{"alpha", 1.67326319217681884765625}, {"gamma", 1.05070102214813232421875}},
       Selu},
      {"onnx.Shrink",
       "Moves elements towards 0, and to 0 those near it",
       {{"bias", 0}, {"lambd", 0.5}},
       Shrink},
      {"onnx.Softsign", "Applies x / (1 + |x|)", {}, Softsign},
      {"onnx.Swish", "Multiplies by the sigmoid", {{"alpha", 1}}, Swish},
      {"onnx.ThresholdedRelu",
       "Replaces what is not above a threshold by 0",
       {{"alpha", 1}},
       ThresholdedRelu},
  };
  return *rows;
}

StatusOr<Values> ExpandActivation(OpBuilder& build, const OpCall& call,
                                  std::span<const GraphValue> inputs) {
  SIGNET_RETURN_IF_ERROR(TensorAt(inputs, 0).status());
  const auto& rows = ActivationRows();
  auto row = std::find_if(rows.begin(), rows.end(),
                          [&](const ActivationRow& r) { return r.name == call.op.name; });
  for (const Default& attribute : row->attributes) {
    SIGNET_RETURN_IF_ERROR(call.attributes.Float(attribute.name).status());
  }
  return row->formula(build, inputs[0], Numbers(build, call, inputs[0]));
}

StatusOr<Values> ExpandGelu(OpBuilder& build, const OpCall& call,
                            std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(std::string approximate, call.attributes.String("approximate"));
  if (approximate != "none" && approximate != "tanh") {
    return InvalidArgument("`approximate`: expected none or tanh, found `", Printable(approximate),
                           "`");
  }
  return build.Gelu(inputs[0], {.approximate = approximate == "tanh"});
}

// Before version 7, a slope with one dimension had one element per channel, which is dimension 1.
StatusOr<Values> ExpandPRelu(OpBuilder& build, const OpCall& call,
                             std::span<const GraphValue> inputs) {
  const GraphValue& x = inputs[0];
  Expr slope = build.AsExpr(inputs[1]);
  if (OpsetOf(call) < 7) {
    SIGNET_ASSIGN_OR_RETURN(int slope_rank, TensorRank(slope));
    if (slope_rank == 1 && KnownSize(slope, 0) != 1) {
      SIGNET_ASSIGN_OR_RETURN(int rank, TensorRank(x));
      slope = WithTrailingOnes(build, slope, rank - 2);
    }
  }
  return build.Select(BelowZero(build, x), x * slope, x);
}

}  // namespace

std::vector<OpDef> OnnxActivationOps() {
  const AttributeDef consumed = {"consumed_inputs", NoneAttribute()};
  std::vector<OpDef> ops;
  for (const ActivationRow& row : ActivationRows()) {
    std::vector<AttributeDef> attributes = {consumed};
    for (const Default& attribute : row.attributes) {
      attributes.push_back({std::string(attribute.name), AttributeOf(attribute.value)});
    }
    ops.push_back(OnnxOp(std::string(row.name), std::string(row.summary), {"X"},
                         std::move(attributes), ExpandActivation));
  }
  ops.push_back(OnnxOp("onnx.Gelu", "Applies the Gaussian error linear unit", {"X"},
                       {{"approximate", AttributeOf("none")}}, ExpandGelu));
  ops.push_back(OnnxOp("onnx.PRelu", "Multiplies what is below 0 by a slope", {"X", "slope"},
                       {OpsetAttribute(), consumed}, ExpandPRelu));
  return ops;
}

}  // namespace signet
