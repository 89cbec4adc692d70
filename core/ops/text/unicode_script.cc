// unicode_script: returns the number of the script of each character.

#include "core/ops/build/flat_values.h"
#include "core/ops/def/inference.h"
#include "core/ops/text/text_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferUnicodeScript(const OpCall& call) {
  // C1: the input is a tensor of int32.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  if (x->dtype() != DType::kInt32) {
    return WithConstraint("C1",
                          InvalidArgument("input 0: expected int32, found `", call.inputs[0], "`"));
  }
  return OneOutput(TensorType(DType::kInt32, x->shape()));
}

}  // namespace

OpDef UnicodeScript() {
  return {
      .name = "unicode_script",
      .summary = "Returns the scripts of characters",
      .description =
          "Returns the script of each character of Unicode 15, which x states by its code point, "
          "as "
          "a number of ICU: for example, 25 for Latin, 14 for Greek, 0 for characters that are "
          "common to several scripts, and 103 if there is no such character. For a number that is "
          "not a code point, the result is -1.",
      .inputs = {"x"},
      .result = "A value of int32 with the shape of x.",
      .constraints = {"The input is a tensor or a ragged value of int32."},
      .composites = "On a ragged value, the op works on the flat values.",
      .infer = InferUnicodeScript,
      .expand = ExpandOnFlatValues,
      .family = OpFamily::kUnaryElementwise,
  };
}

}  // namespace signet
