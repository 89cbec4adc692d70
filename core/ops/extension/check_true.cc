// check_true: rejects a call unless a condition is True.

#include "core/ops/def/inference.h"
#include "core/ops/extension/extension_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferCheckTrue(const OpCall& call) {
  // C1: the condition is a scalar bool.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* condition, TensorInput(call, 0));
  if (condition->dtype() != DType::kBool ||
      (condition->shape().has_rank() && condition->shape().rank() != 0)) {
    return WithConstraint(
        "check_true C1",
        InvalidArgument("`check_true`: input 0: expected `bool[]`, found `", call.inputs[0], "`"));
  }
  SIGNET_RETURN_IF_ERROR(call.attributes.String("message").status());
  SIGNET_RETURN_IF_ERROR(call.attributes.String("constraint").status());
  return OneOutput(TensorType(DType::kBool, Shape{}));
}

}  // namespace

OpDef CheckTrue() {
  return {
      .name = "check_true",
      .summary = "Rejects the call unless a condition is true",
      .description =
          "Rejects the call with `message` (INVALID_ARGUMENT) unless the condition is True. The "
          "check is made even if no other op uses the output. A condition that is known is checked "
          "when the function is specialized. `constraint` is a detail of the error, such as "
          "`concat "
          "C2`.",
      .inputs = {"condition"},
      .attributes = {{"message"}, {"constraint", AttributeOf("")}},
      .result = "The condition.",
      .constraints = {"The condition is a scalar bool."},
      .infer = InferCheckTrue,
      .aliasing = Aliasing::kView,
      .effect = true,
  };
}

}  // namespace signet
