// string_length: counts the bytes or characters of each string. The constraints are those of
// docs/reference/ops.md.

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
      .summary = "Counts the bytes or characters of each string",
      .inputs = {"x"},
      .attributes = {{"unit", AttributeOf("bytes")}},
      .infer = InferStringLength,
      .expand = ExpandOnFlatValues,
      .family = OpFamily::kUnaryElementwise,
  };
}

}  // namespace signet
