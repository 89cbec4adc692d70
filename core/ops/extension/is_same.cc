// is_same: returns whether two values of any types are the same.
// On tensors, the op has a kernel. On composite values, it is expanded to one call per component.

#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/def/inference.h"
#include "core/ops/extension/extension_ops.h"
#include "signet/extension_spec.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferIsSame(const OpCall& call) {
  SIGNET_RETURN_IF_ERROR(TensorInput(call, 0).status());
  SIGNET_RETURN_IF_ERROR(TensorInput(call, 1).status());
  return OneOutput(TensorType(DType::kBool, Shape{}));
}

std::vector<GraphValue> OneBool(OpBuilder& build, bool value) {
  return {build.Constant(Tensor::Scalar(value))};
}

// Returns true if two values without components are the same. Floats are compared by value.
bool SameStatic(const TypeSpec& a, const TypeSpec& b) {
  const auto* x = a.As<LiteralSpec>();
  const auto* y = b.As<LiteralSpec>();
  if (x != nullptr && y != nullptr && x->literal().is(Literal::Kind::kFloat) &&
      y->literal().is(Literal::Kind::kFloat)) {
    return x->literal().float_value() == y->literal().float_value();
  }
  if (a.children().empty()) return a == b;
  if (a.kind() != b.kind() || a.children().size() != b.children().size() ||
      !a.rep().EqualFixed(b.rep())) {
    return false;
  }
  for (size_t i = 0; i < a.children().size(); ++i) {
    if (!SameStatic(a.children()[i], b.children()[i])) return false;
  }
  return true;
}

StatusOr<std::vector<GraphValue>> ExpandIsSame(OpBuilder& build, const OpCall& call,
                                               std::span<const GraphValue> inputs) {
  // C1: both values are given.
  if (!inputs[0].spec || !inputs[1].spec) {
    return WithConstraint(
        "C1", InvalidArgument("input ", inputs[0].spec ? 1 : 0, ": expected a value, found none"));
  }
  if (IsStatic(call.inputs[0]) && IsStatic(call.inputs[1])) {
    return OneBool(build, SameStatic(call.inputs[0], call.inputs[1]));
  }
  for (size_t i = 0; i < 2; ++i) {
    const auto* tensor = call.inputs[1 - i].As<TensorSpec>();
    if (tensor == nullptr || !IsPlainLiteral(inputs[i])) continue;
    SIGNET_ASSIGN_OR_RETURN(GraphValue made, TensorFor(build, inputs[i], tensor->dtype()));
    if (!made.spec) return OneBool(build, false);
    if (i == 0) return build.Call(call.op.name, std::vector<GraphValue>{made, inputs[1]}, {});
    return build.Call(call.op.name, std::vector<GraphValue>{inputs[0], made}, {});
  }
  // No value has both types.
  if (!IsCompatible(inputs[0].spec, inputs[1].spec)) return OneBool(build, false);
  GraphValue same = OneBool(build, true)[0];
  for (size_t i = 0; i < inputs[0].components.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(
        GraphValue equal,
        build.CallOne(call.op.name, {ComponentOf(inputs[0], i), ComponentOf(inputs[1], i)}));
    if (i == 0) {
      same = std::move(equal);
    } else {
      SIGNET_ASSIGN_OR_RETURN(same, build.LogicalAnd(same, equal));
    }
  }
  return std::vector<GraphValue>{std::move(same)};
}

}  // namespace

OpDef IsSame() {
  return {
      .name = "is_same",
      .summary = "Checks whether two values are equal",
      .description =
          "Compares the shapes, the row partitions, and the elements of two values, without "
          "broadcasting. Values whose types have no value in common are not the same. NaN does not "
          "equal NaN, and 0.0 equals -0.0. A literal is compared as a tensor of the dtype of the "
          "other value if that is a tensor.",
      .inputs = {"x", "y"},
      .result = "A scalar bool.",
      .constraints = {"Both values are given."},
      .composites = "The inputs are values of any type.",
      .infer = InferIsSame,
      .expand = ExpandIsSame,
      .literals_as_tensors = false,
      .any_type = true,
  };
}

}  // namespace signet
