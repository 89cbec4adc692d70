// Activations: a formula each.

#include <algorithm>

#include "core/frontends/onnx/lower/build/arithmetic.h"
#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

// The numbers of a call: attributes by name, as scalars of the input's dtype.
class Numbers {
 public:
  Numbers(Arithmetic& f, const OpCall& call, const GraphValue& x) : f_(f), call_(call), x_(x) {}

  double Value(std::string_view name) const { return f_.Take(call_.attributes.Float(name)); }
  GraphValue operator()(std::string_view name) const { return (*this)(Value(name)); }
  GraphValue operator()(double value) const { return f_.Number(value, x_); }

 private:
  Arithmetic& f_;
  const OpCall& call_;
  const GraphValue& x_;
};

GraphValue BelowZero(Arithmetic& f, const GraphValue& x) { return f("less", {x, f.Number(0, x)}); }

GraphValue LeakyRelu(Arithmetic& f, const GraphValue& x, const Numbers& n) {
  return f("select", {BelowZero(f, x), f("mul", {x, n("alpha")}), x});
}

GraphValue Elu(Arithmetic& f, const GraphValue& x, const Numbers& n) {
  return f("select", {BelowZero(f, x), f("mul", {f("expm1", {x}), n("alpha")}), x});
}

GraphValue Selu(Arithmetic& f, const GraphValue& x, const Numbers& n) {
  GraphValue scale = n(n.Value("alpha") * n.Value("gamma"));
  GraphValue below = f("mul", {f("expm1", {x}), scale});
  return f("select", {BelowZero(f, x), below, f("mul", {x, n("gamma")})});
}

GraphValue Celu(Arithmetic& f, const GraphValue& x, const Numbers& n) {
  GraphValue shrunk = f("expm1", {f("div", {x, n("alpha")})});
  return f("select", {BelowZero(f, x), f("mul", {shrunk, n("alpha")}), x});
}

GraphValue ThresholdedRelu(Arithmetic& f, const GraphValue& x, const Numbers& n) {
  return f("select", {f("greater", {x, n("alpha")}), x, n(0.0)});
}

GraphValue Ramp(Arithmetic& f, const GraphValue& x, const Numbers& n, double slope, double shift) {
  GraphValue line = f("add", {f("mul", {x, n(slope)}), n(shift)});
  return f("clip", {line, n(0.0), n(1.0)});
}

GraphValue HardSigmoid(Arithmetic& f, const GraphValue& x, const Numbers& n) {
  return Ramp(f, x, n, n.Value("alpha"), n.Value("beta"));
}

GraphValue HardSwish(Arithmetic& f, const GraphValue& x, const Numbers& n) {
  return f("mul", {x, Ramp(f, x, n, 1.0 / 6, 0.5)});
}

GraphValue Swish(Arithmetic& f, const GraphValue& x, const Numbers& n) {
  bool plain = n.Value("alpha") == 1;
  return f("mul", {x, f("sigmoid", {plain ? x : f("mul", {x, n("alpha")})})});
}

GraphValue Mish(Arithmetic& f, const GraphValue& x, const Numbers&) {
  return f("mul", {x, f("tanh", {f("softplus", {x})})});
}

GraphValue Softsign(Arithmetic& f, const GraphValue& x, const Numbers& n) {
  return f("div", {x, f("add", {f("abs", {x}), n(1.0)})});
}

GraphValue Shrink(Arithmetic& f, const GraphValue& x, const Numbers& n) {
  GraphValue below = f("less", {x, n(-n.Value("lambd"))});
  GraphValue above = f("greater", {x, n("lambd")});
  GraphValue bias = n("bias");
  GraphValue outer = f("select", {above, f("sub", {x, bias}), n(0.0)});
  return f("select", {below, f("add", {x, bias}), outer});
}

struct Default {
  std::string_view name;
  double value;
};

struct Row {
  std::string_view name;
  std::string_view summary;
  std::vector<Default> attributes;
  GraphValue (*formula)(Arithmetic& f, const GraphValue& x, const Numbers& n);
};

const std::vector<Row>& Rows() {
  static const auto* const rows = new std::vector<Row>{
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
  const auto& rows = Rows();
  auto row =
      std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.name == call.op.name; });
  Arithmetic f(build);
  return f.Give(row->formula(f, inputs[0], Numbers(f, call, inputs[0])));
}

StatusOr<Values> ExpandGelu(OpBuilder& build, const OpCall& call,
                            std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(std::string approximate, call.attributes.String("approximate"));
  if (approximate != "none" && approximate != "tanh") {
    return InvalidArgument("`approximate`: expected none or tanh, found `", Printable(approximate),
                           "`");
  }
  return build.Call("gelu", inputs,
                    Attributes({{"approximate", AttributeOf(approximate == "tanh")}}));
}

// Before version 7 a slope of one dimension was one for each channel, which are dimension 1.
StatusOr<Values> ExpandPRelu(OpBuilder& build, const OpCall& call,
                             std::span<const GraphValue> inputs) {
  Arithmetic f(build);
  const GraphValue& x = inputs[0];
  GraphValue slope = inputs[1];
  if (OpsetOf(call) < 7 && f.RankOf(slope) == 1 && f.KnownSize(slope, 0) != 1) {
    slope = f.WithOnesBehind(std::move(slope), f.RankOf(x) - 2);
  }
  return f.Give(f("select", {BelowZero(f, x), f("mul", {x, slope}), x}));
}

}  // namespace

std::vector<OpDef> OnnxActivationOps() {
  const AttributeDef consumed = {"consumed_inputs", NoneAttribute()};
  std::vector<OpDef> ops;
  for (const Row& row : Rows()) {
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
