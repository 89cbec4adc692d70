// bitcast: interprets the bits of numbers as numbers of another dtype of the same size.

#include "core/ops/build/rows/elementwise_rows.h"
#include "core/ops/def/inference.h"
#include "core/ops/elementwise/elementwise_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferBitcast(const OpCall& call) {
  // C1: the input is a tensor.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  // C2: the elements of `dtype` have the size of the elements of the input. Neither dtype is
  // string.
  SIGNET_ASSIGN_OR_RETURN(DType dtype, WithConstraint("C2", call.attributes.DTypeNamed("dtype")));
  if (SizeOf(dtype) != SizeOf(x->dtype()) || x->dtype() == DType::kString) {
    return WithConstraint(
        "C2", InvalidArgument("expected numeric or bool dtypes of the same size, found `",
                              call.inputs[0], "` and `", NameOf(dtype), "`"));
  }
  return OneOutput(TensorType(dtype, x->shape()));
}

}  // namespace

OpDef Bitcast() {
  return {
      .name = "bitcast",
      .summary = "Interprets the bits of numbers as another dtype",
      .description =
          "Interprets the bits of each element as a number of `dtype`. If the result is bool, an "
          "element is True if any bit is set.",
      .inputs = {"x"},
      .attributes = {{"dtype"}},
      .result = "A value with the shape of x and the dtype `dtype`.",
      .constraints = {"The input is a tensor or a ragged value.",
                      "The elements of `dtype` have the same size as those of x, and neither dtype "
                      "is string."},
      .composites = "On a ragged value, the op converts the flat values. The rows stay the same.",
      .infer = InferBitcast,
      .expand = ExpandElementwise,
      .family = OpFamily::kUnaryElementwise,
  };
}

}  // namespace signet
