// Operators of ai.onnx.preview.training: one step of an optimizer on tensors, each with its
// gradient and its states.

#include <string>

#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/build/tensor_expressions.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"
#include "core/ops/build/op_builder.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

// The inputs are the rate, the number of earlier steps, all tensors, all gradients, and all states,
// kind by kind. The outputs are all tensors and all states, kind by kind.
class Step {
 public:
  Step(OpBuilder& build, const OpCall& call, std::span<const GraphValue> inputs)
      : build_(build), call_(call), inputs_(inputs) {}

  // Returns the new tensor, then its new states. `gradient` includes the penalty of the norm.
  using Rule = std::vector<Operand> (*)(Step& step, const Expr& x, const Expr& gradient,
                                        std::span<const Expr> states);

  StatusOr<Values> Run(size_t states, Rule rule) {
    size_t kinds = states + 2;
    if (inputs_.size() < 2 + kinds || (inputs_.size() - 2) % kinds != 0) {
      return InvalidArgument("expected 2 inputs plus ", kinds, " per tensor, found ",
                             inputs_.size());
    }
    for (size_t i = 0; i < inputs_.size(); ++i) {
      SIGNET_RETURN_IF_ERROR(TensorAt(inputs_, i).status());
    }
    for (const AttributeDef& attribute : call_.op.attributes) {
      if (attribute.name == "mode") continue;
      SIGNET_RETURN_IF_ERROR(call_.attributes.Float(attribute.name).status());
    }
    size_t count = (inputs_.size() - 2) / kinds;
    std::vector<Operand> out((states + 1) * count);
    for (size_t i = 0; i < count; ++i) {
      auto at = [&](size_t kind) { return build_.AsExpr(inputs_[2 + kind * count + i]); };
      Expr x = at(0);
      Expr gradient = Times("norm_coefficient", x) + at(1);
      std::vector<Expr> own;
      for (size_t kind = 2; kind < kinds; ++kind) own.push_back(at(kind));
      std::vector<Operand> made = rule(*this, x, gradient, own);
      for (size_t kind = 0; kind <= states; ++kind) out[kind * count + i] = made[kind];
    }
    return AllOf(out);
  }

  // Run has checked the numeric attributes.
  double Value(std::string_view attribute) const { return *call_.attributes.Float(attribute); }
  Expr Times(std::string_view attribute, const Expr& x) { return Scaled(Value(attribute), x); }
  Expr Scaled(double factor, const Expr& x) { return Constant(factor, x) * x; }
  // Return a number, the rate, and the number of steps, with the dtype of `like`.
  Expr Constant(double number, const Expr& like) { return Number(build_, number, like); }
  Expr Rate(const Expr& like) {
    return CastTo(build_, AsScalar(build_, inputs_[0]), TensorDType(like));
  }
  Expr Steps(const Expr& like) {
    return CastTo(build_, AsScalar(build_, inputs_[1]), TensorDType(like));
  }
  // Returns `first` in the first step, and `later` in the others.
  Expr After(const Expr& later, const Expr& first) {
    Expr steps = AsScalar(build_, inputs_[1]);
    return build_.Select(build_.Greater(steps, Zero(build_, TensorDType(steps))), later, first);
  }
  OpBuilder& build() { return build_; }

 private:
  OpBuilder& build_;
  const OpCall& call_;
  std::span<const GraphValue> inputs_;
};

std::vector<Operand> Adagrad(Step& step, const Expr& x, const Expr& gradient,
                             std::span<const Expr> states) {
  OpBuilder& build = step.build();
  Expr slowed = step.Constant(1, x) + step.Times("decay_factor", step.Steps(x));
  Expr rate = step.Rate(x) / slowed;
  Expr squares = states[0] + gradient * gradient;
  Expr size = build.Sqrt(squares) + step.Constant(step.Value("epsilon"), x);
  return {x - rate * gradient / size, squares};
}

std::vector<Operand> Adam(Step& step, const Expr& x, const Expr& gradient,
                          std::span<const Expr> states) {
  OpBuilder& build = step.build();
  double alpha = step.Value("alpha");
  double beta = step.Value("beta");
  Expr mean = step.Scaled(alpha, states[0]) + step.Scaled(1 - alpha, gradient);
  Expr square = gradient * gradient;
  Expr squares = step.Scaled(beta, states[1]) + step.Scaled(1 - beta, square);
  auto rest = [&](double base) {  // 1 - base ^ steps
    Expr power = build.Pow(step.Constant(base, x), step.Steps(x));
    return step.Constant(1, x) - power;
  };
  Expr later = step.Rate(x) * build.Sqrt(rest(beta)) / rest(alpha);
  Expr rate = step.After(later, step.Rate(x));
  Expr size = build.Sqrt(squares) + step.Constant(step.Value("epsilon"), x);
  Expr moved = x - rate * mean / size;
  return {step.Scaled(1 - step.Value("norm_coefficient_post"), moved), mean, squares};
}

// With `nesterov`, the gradient is added once more.
template <bool nesterov>
std::vector<Operand> Momentum(Step& step, const Expr& x, const Expr& gradient,
                              std::span<const Expr> states) {
  Expr beta = step.After(step.Constant(step.Value("beta"), x), step.Constant(1, x));
  Expr speed = step.Times("alpha", states[0]) + beta * gradient;
  Expr way = nesterov ? gradient + step.Times("alpha", speed) : speed;
  return {x - step.Rate(x) * way, speed};
}

StatusOr<Values> ExpandAdagrad(OpBuilder& build, const OpCall& call,
                               std::span<const GraphValue> inputs) {
  return Step(build, call, inputs).Run(1, Adagrad);
}

StatusOr<Values> ExpandAdam(OpBuilder& build, const OpCall& call,
                            std::span<const GraphValue> inputs) {
  return Step(build, call, inputs).Run(2, Adam);
}

StatusOr<Values> ExpandMomentum(OpBuilder& build, const OpCall& call,
                                std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(std::string mode, call.attributes.String("mode"));
  if (mode != "standard" && mode != "nesterov") {
    return InvalidArgument("mode: expected standard or nesterov, found `", Printable(mode), "`");
  }
  return Step(build, call, inputs).Run(1, mode == "nesterov" ? Momentum<true> : Momentum<false>);
}

}  // namespace

std::vector<OpDef> OnnxTrainingOps() {
  auto op = [](std::string_view name, std::string summary, std::vector<AttributeDef> attributes,
               ExpandFn expand) {
    attributes.push_back({"norm_coefficient", AttributeOf(0.0)});
    return OnnxOp(Cat("onnx.ai.onnx.preview.training.", name), std::move(summary),
                  {"R", "T", "inputs..."}, std::move(attributes), expand);
  };
  return {
      op("Adagrad", "Takes a step against gradients, over the root of their squares",
         {{"decay_factor", AttributeOf(0.0)}, {"epsilon", AttributeOf(1e-6)}}, ExpandAdagrad),
      op("Adam", "Takes a step against means of gradients, over the root of those of squares",
         {{"alpha", AttributeOf(0.9)},
          {"beta", AttributeOf(0.999)},
          {"epsilon", AttributeOf(1e-6)},
          {"norm_coefficient_post", AttributeOf(0.0)}},
         ExpandAdam),
      op("Momentum", "Takes a step against gradients, with some of the steps before",
         {{"alpha"}, {"beta"}, {"mode"}}, ExpandMomentum),
  };
}

}  // namespace signet
