// ones_like: a tensor of ones in the shape of another. The constraints are those of docs/ops.md.

#include "core/ops/all_ops.h"
#include "core/ops/flat_values.h"
#include "core/ops/inference.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferOnesLike(const OpCall& call) {
  // C1: the input is a tensor of numbers or bools.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  if (x->dtype() == DType::kString) {
    return InvalidArgument("C1 input 0 is `", call.inputs[0], "`; takes numbers or bool");
  }
  return OneOutput(call.inputs[0]);
}

}  // namespace

OpDef OnesLike() {
  return {
      .name = "ones_like",
      .summary = "Makes ones in the shape and dtype of another tensor",
      .inputs = {"x"},
      .infer = InferOnesLike,
      .expand = ExpandOnFlatValues,
  };
}

}  // namespace signet
