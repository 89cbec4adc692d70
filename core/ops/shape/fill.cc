// fill: creates a tensor with one value.

#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"
#include "core/ops/shape/shape_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<GraphValue>> ExpandFill(OpBuilder& build, const OpCall& call,
                                             std::span<const GraphValue> inputs) {
  // C1: the value is a scalar. broadcast_to checks the shape.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* value, TensorInput(call, 0));
  if (!value->shape().IsCompatibleWith(Shape{})) {
    return WithConstraint(
        "C1", InvalidArgument("input 0: expected a scalar, found `", call.inputs[0], "`"));
  }
  return build.Call("broadcast_to", inputs, call.attributes);
}

}  // namespace

OpDef Fill() {
  return {
      .name = "fill",
      .summary = "Creates a tensor with one value",
      .description =
          "Creates a tensor of the shape, in which every element is the value. The shape is an "
          "attribute or a vector of integers.",
      .inputs = {"value", "shape?"},
      .attributes = {{"shape", NoneAttribute()}},
      .result = "A tensor of the dtype of the value.",
      .constraints =
          {"The value is a scalar. The shape is given once, and its sizes are at least 0."},
      .composites = "The inputs are tensors or literals.",
      .expand = ExpandFill,
      .own_dtypes = {"shape"},
  };
}

}  // namespace signet
