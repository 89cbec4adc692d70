// string_to_number: reads a number from each string. The constraints are those of
// docs/reference/ops.md.

#include "core/ops/build/flat_values.h"
#include "core/ops/def/inference.h"
#include "core/ops/text/string_input.h"
#include "core/ops/text/text_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferStringToNumber(const OpCall& call) {
  // C1: the input is a tensor of strings.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, StringInput(call, 0));
  // C2: `dtype` is an integer dtype, float32 or float64. C3, when it runs: each string is a number
  // of it.
  SIGNET_ASSIGN_OR_RETURN(DType dtype, Labelled("C2", call.attributes.DTypeNamed("dtype")));
  if (!IsInteger(dtype) && dtype != DType::kFloat32 && dtype != DType::kFloat64) {
    return InvalidArgument("C2 dtype is ", NameOf(dtype),
                           "; takes an integer dtype, float32 or float64");
  }
  return OneOutput(TensorType(dtype, x->shape()));
}

}  // namespace

OpDef StringToNumber() {
  return {
      .name = "string_to_number",
      .summary = "Reads a number from each string",
      .inputs = {"x"},
      .attributes = {{"dtype", AttributeOf(DType::kFloat32)}},
      .infer = InferStringToNumber,
      .expand = ExpandOnFlatValues,
      .family = OpFamily::kUnaryElementwise,
  };
}

}  // namespace signet
