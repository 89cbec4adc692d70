// Operators of ai.onnx.preview.training: one step of an optimiser on tensors, each with its
// gradient and its states.

#include <string>

#include "core/frontends/onnx/lower/build/arithmetic.h"
#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/frontends/onnx/lower/standard/standard_ops.h"

namespace signet {
namespace {

using Values = std::vector<GraphValue>;

// Inputs: the rate, the number of steps before, then all tensors, all gradients, all states of one
// kind, all of another. Outputs: all tensors, and states likewise.
class Step {
 public:
  Step(OpBuilder& build, const OpCall& call, std::span<const GraphValue> inputs)
      : f(build), call_(call), inputs_(inputs) {}

  // What becomes of a tensor: itself, then its states. `gradient` has the penalty of its norm.
  using Rule = Values (*)(Step& step, const GraphValue& x, const GraphValue& gradient,
                          std::span<const GraphValue> states);

  StatusOr<Values> Run(size_t states, Rule rule) {
    size_t kinds = states + 2;
    if (inputs_.size() < 2 + kinds || (inputs_.size() - 2) % kinds != 0) {
      return InvalidArgument(inputs_.size(), " inputs; takes 2, and ", kinds, " for each tensor");
    }
    for (size_t i = 0; i < inputs_.size(); ++i) {
      SIGNET_RETURN_IF_ERROR(TensorAt(inputs_, i).status());
    }
    size_t count = (inputs_.size() - 2) / kinds;
    Values out((states + 1) * count);
    for (size_t i = 0; i < count; ++i) {
      auto at = [&](size_t kind) { return inputs_[2 + kind * count + i]; };
      GraphValue x = at(0);
      GraphValue gradient = f("add", {Times("norm_coefficient", x), at(1)});
      Values own;
      for (size_t kind = 2; kind < kinds; ++kind) own.push_back(at(kind));
      Values made = rule(*this, x, gradient, own);
      SIGNET_RETURN_IF_ERROR(f.status());
      for (size_t kind = 0; kind <= states; ++kind) out[kind * count + i] = made[kind];
    }
    return out;
  }

  double Value(std::string_view attribute) { return f.Take(call_.attributes.Float(attribute)); }
  GraphValue Times(std::string_view attribute, const GraphValue& x) {
    return Scaled(Value(attribute), x);
  }
  GraphValue Scaled(double factor, const GraphValue& x) {
    return f("mul", {f.Number(factor, x), x});
  }
  GraphValue Rate(const GraphValue& x) { return f.Cast(f.AsScalar(inputs_[0]), f.DTypeOf(x)); }
  GraphValue Steps(const GraphValue& x) { return f.Cast(f.AsScalar(inputs_[1]), f.DTypeOf(x)); }
  // `later`, but `first` in the first step.
  GraphValue After(const GraphValue& later, const GraphValue& first) {
    GraphValue steps = f.AsScalar(inputs_[1]);
    return f("select", {f("greater", {steps, f.Zero(f.DTypeOf(steps))}), later, first});
  }

  Arithmetic f;

 private:
  const OpCall& call_;
  std::span<const GraphValue> inputs_;
};

Values Adagrad(Step& step, const GraphValue& x, const GraphValue& gradient,
               std::span<const GraphValue> states) {
  Arithmetic& f = step.f;
  GraphValue slowed = f("add", {f.Number(1, x), step.Times("decay_factor", step.Steps(x))});
  GraphValue rate = f("div", {step.Rate(x), slowed});
  GraphValue squares = f("add", {states[0], f("mul", {gradient, gradient})});
  GraphValue size = f("add", {f("sqrt", {squares}), f.Number(step.Value("epsilon"), x)});
  GraphValue change = f("div", {f("mul", {rate, gradient}), size});
  return {f("sub", {x, change}), squares};
}

Values Adam(Step& step, const GraphValue& x, const GraphValue& gradient,
            std::span<const GraphValue> states) {
  Arithmetic& f = step.f;
  double alpha = step.Value("alpha");
  double beta = step.Value("beta");
  GraphValue mean = f("add", {step.Scaled(alpha, states[0]), step.Scaled(1 - alpha, gradient)});
  GraphValue square = f("mul", {gradient, gradient});
  GraphValue squares = f("add", {step.Scaled(beta, states[1]), step.Scaled(1 - beta, square)});
  auto rest = [&](double base) {  // 1 - base ^ steps
    GraphValue power = f("pow", {f.Number(base, x), step.Steps(x)});
    return f("sub", {f.Number(1, x), power});
  };
  GraphValue later = f("div", {f("mul", {step.Rate(x), f("sqrt", {rest(beta)})}), rest(alpha)});
  GraphValue rate = step.After(later, step.Rate(x));
  GraphValue size = f("add", {f("sqrt", {squares}), f.Number(step.Value("epsilon"), x)});
  GraphValue moved = f("sub", {x, f("div", {f("mul", {rate, mean}), size})});
  return {step.Scaled(1 - step.Value("norm_coefficient_post"), moved), mean, squares};
}

// With `nesterov`, the gradient counts once more.
template <bool nesterov>
Values Momentum(Step& step, const GraphValue& x, const GraphValue& gradient,
                std::span<const GraphValue> states) {
  Arithmetic& f = step.f;
  GraphValue beta = step.After(f.Number(step.Value("beta"), x), f.Number(1, x));
  GraphValue speed = f("add", {step.Times("alpha", states[0]), f("mul", {beta, gradient})});
  GraphValue way = nesterov ? f("add", {gradient, step.Times("alpha", speed)}) : speed;
  return {f("sub", {x, f("mul", {step.Rate(x), way})}), speed};
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
    return InvalidArgument("mode `", Printable(mode), "`; takes standard or nesterov");
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
