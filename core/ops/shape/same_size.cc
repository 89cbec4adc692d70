// same_size: checks that dimensions with the same name in a signature have the same size.

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/def/inference.h"
#include "core/ops/shape/shape_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<GraphValue>> ExpandSameSize(OpBuilder& build, const OpCall& call,
                                                 std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(auto axes, call.attributes.Ints("axes"));
  SIGNET_ASSIGN_OR_RETURN(auto parameters, call.attributes.Strings("parameters"));
  SIGNET_ASSIGN_OR_RETURN(std::string name, call.attributes.String("name"));
  if (inputs.empty() || axes.size() != inputs.size() || parameters.size() != inputs.size()) {
    return WithConstraint(
        "C1", InvalidArgument(
                  "expected one axis and one parameter per input, and at least one input, found ",
                  axes.size(), " axes, ", parameters.size(), " parameters, and ", inputs.size(),
                  " inputs"));
  }
  GraphValue first;
  std::string first_place;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto* tensor = inputs[i].spec.As<TensorSpec>();
    if (tensor == nullptr) continue;  // an omitted argument
    if (!tensor->shape().has_rank()) {
      return WithConstraint(
          "C2",
          InvalidArgument("`", parameters[i], "`: expected a known rank, found an unknown rank"));
    }
    SIGNET_ASSIGN_OR_RETURN(int axis, NormalizeAxis(axes[i], tensor->shape().rank()));
    SIGNET_ASSIGN_OR_RETURN(GraphValue size, DimSize(build, inputs[i], axis));
    std::string place = Cat("dimension ", axis, " of `", parameters[i], "`");
    if (!first.spec) {
      first = std::move(size);
      first_place = std::move(place);
      continue;
    }
    const Tensor* a = build.LookupConstant(first.components[0]);
    const Tensor* b = build.LookupConstant(size.components[0]);
    if (a != nullptr && b != nullptr && a->scalar<int64_t>() != b->scalar<int64_t>()) {
      return WithField(parameters[i], InvalidArgument(place, " is ", b->scalar<int64_t>(), ", ",
                                                      first_place, " is ", a->scalar<int64_t>(),
                                                      "; both are `", Printable(name), "`"));
    }
    SIGNET_RETURN_IF_ERROR(
        CheckSameSize(build, first, size,
                      InvalidArgument(place, " is not of the size of ", first_place, "; both are `",
                                      Printable(name), "`")));
  }
  if (!first.spec) return std::vector<GraphValue>{build.Constant(Tensor::Scalar(int64_t{0}))};
  return std::vector<GraphValue>{first};
}

}  // namespace

OpDef SameSize() {
  return {
      .name = "same_size",
      .summary = "Checks that dimensions of several inputs have the same size",
      .description =
          "Returns the size of dimension `axes[i]` of each tensor i, and rejects the call if the "
          "sizes differ. Inputs that are not tensors are ignored. A function whose signature has "
          "named dimensions calls it.",
      .inputs = {"xs..."},
      .attributes = {{"axes"}, {"parameters"}, {"name"}},
      .result = "`int64[]`.",
      .constraints = {"There is an axis and a parameter for each input, and at least one input.",
                      "The tensors have a known rank."},
      .expand = ExpandSameSize,
      .any_type = true,
      .internal = true,
  };
}

}  // namespace signet
