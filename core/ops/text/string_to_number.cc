// string_to_number: parses a number from each string.

#include "core/ops/build/flat_values.h"
#include "core/ops/def/inference.h"
#include "core/ops/text/string_input.h"
#include "core/ops/text/text_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferStringToNumber(const OpCall& call) {
  // C1: the input is a tensor of strings.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, StringInput(call, 0));
  // C2: `dtype` is an integer dtype, float32, or float64. C3: each string is a number of this
  // dtype, which the kernel checks.
  SIGNET_ASSIGN_OR_RETURN(DType dtype, WithConstraint("C2", call.attributes.DTypeNamed("dtype")));
  if (!IsInteger(dtype) && dtype != DType::kFloat32 && dtype != DType::kFloat64) {
    return WithConstraint(
        "C2", InvalidArgument("dtype: expected an integer dtype, float32 or float64, found ",
                              NameOf(dtype)));
  }
  return OneOutput(TensorType(dtype, x->shape()));
}

}  // namespace

OpDef StringToNumber() {
  return {
      .name = "string_to_number",
      .summary = "Reads numbers from text",
      .description = "Parses each whole string as a number of `dtype`. Spaces are not accepted.",
      .inputs = {"x"},
      .attributes = {{"dtype", AttributeOf(DType::kFloat32)}},
      .result = "A value of `dtype` with the shape of x.",
      .constraints = {"The input is a tensor or a ragged value of strings.",
                      "`dtype` is an integer dtype, float32, or float64.",
                      "Each string is a number of the dtype."},
      .composites = "On a ragged value, the op works on the flat values.",
      .infer = InferStringToNumber,
      .expand = ExpandOnFlatValues,
      .family = OpFamily::kUnaryElementwise,
  };
}

}  // namespace signet
