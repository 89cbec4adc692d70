// string_length: counts the bytes or characters of each string.

#include "core/ops/build/flat_values.h"
#include "core/ops/def/inference.h"
#include "core/ops/text/string_input.h"
#include "core/ops/text/text_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferStringLength(const OpCall& call) {
  // C1: the input is a tensor of strings; C2: `unit` is bytes or utf8.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, StringInput(call, 0));
  SIGNET_RETURN_IF_ERROR(CountsCharacters(call).status());
  return OneOutput(TensorType(DType::kInt64, x->shape()));
}

}  // namespace

OpDef StringLength() {
  return {
      .name = "string_length",
      .summary = "Returns the length of strings",
      .description =
          "Returns the number of bytes of each string, or of characters with `unit=\"utf8\"`.",
      .inputs = {"x"},
      .attributes = {{"unit", AttributeOf("bytes")}},
      .result = "A value of int64 with the shape of x.",
      .constraints = {"The input is a tensor or a ragged value of strings.",
                      "`unit` is `bytes` or `utf8`."},
      .composites = "On a ragged value, the op works on the flat values.",
      .infer = InferStringLength,
      .expand = ExpandOnFlatValues,
      .family = OpFamily::kUnaryElementwise,
  };
}

}  // namespace signet
