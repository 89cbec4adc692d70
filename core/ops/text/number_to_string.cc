// number_to_string: writes each number as text.

#include "core/ops/build/flat_values.h"
#include "core/ops/def/inference.h"
#include "core/ops/text/text_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferNumberToString(const OpCall& call) {
  // C1: the input is a tensor of integers, float32 or float64.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  DType dtype = x->dtype();
  if (!IsInteger(dtype) && dtype != DType::kFloat32 && dtype != DType::kFloat64) {
    return WithConstraint(
        "C1", InvalidArgument("input 0: expected an integer dtype, float32 or float64, found `",
                              call.inputs[0], "`"));
  }
  return OneOutput(TensorType(DType::kString, x->shape()));
}

}  // namespace

OpDef NumberToString() {
  return {
      .name = "number_to_string",
      .summary = "Writes numbers as text",
      .description =
          "Returns the shortest text that can be read back. Floats have a decimal point, an "
          "exponent, or a word such as `nan`.",
      .inputs = {"x"},
      .result = "A value of strings with the shape of x.",
      .constraints = {"The input has an integer dtype, float32, or float64."},
      .composites = "On a ragged value, the op converts the flat values.",
      .infer = InferNumberToString,
      .expand = ExpandOnFlatValues,
      .family = OpFamily::kUnaryElementwise,
  };
}

}  // namespace signet
