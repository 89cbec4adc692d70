// reverse: turns dimensions of a tensor around. The constraints are those of docs/ops.md.

#include "core/ops/all_ops.h"
#include "core/ops/inference.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferReverse(const OpCall& call) {
  // C1: the input is a tensor.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  // C2: each of `axes` is a dimension, there once.
  SIGNET_ASSIGN_OR_RETURN(auto axes, Labelled("C2", call.attributes.Ints("axes")));
  if (!x->shape().has_rank()) return OneOutput(call.inputs[0]);
  std::vector<bool> seen(static_cast<size_t>(x->shape().rank()), false);
  for (int64_t given : axes) {
    SIGNET_ASSIGN_OR_RETURN(int axis, Labelled("C2", NormalizeAxis(given, x->shape().rank())));
    if (seen[static_cast<size_t>(axis)]) {
      return InvalidArgument("C2 axis ", axis, " appears twice; takes each once");
    }
    seen[static_cast<size_t>(axis)] = true;
  }
  return OneOutput(call.inputs[0]);
}

}  // namespace

OpDef Reverse() {
  return {
      .name = "reverse",
      .summary = "Turns dimensions of a tensor around",
      .inputs = {"x"},
      .attributes = {{"axes"}},
      .infer = InferReverse,
  };
}

}  // namespace signet
