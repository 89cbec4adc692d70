// string_lower, string_upper: each string made over. The constraints are those of
// docs/reference/ops.md.
//
// ASCII only, unless `unicode`: other letters stay, so that what a vocabulary was made with does
// not depend on a version of Unicode.

#include "core/ops/build/flat_values.h"
#include "core/ops/def/inference.h"
#include "core/ops/text/string_input.h"
#include "core/ops/text/text_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferStringCase(const OpCall& call) {
  // C1: the input is a tensor of strings.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, StringInput(call, 0));
  SIGNET_RETURN_IF_ERROR(call.attributes.Bool("unicode").status());
  return OneOutput(TensorType(DType::kString, x->shape()));
}

OpDef Row(const char* name, const char* summary) {
  return {.name = name,
          .summary = summary,
          .inputs = {"x"},
          .attributes = {{"unicode", AttributeOf(false)}},
          .infer = InferStringCase,
          .expand = ExpandOnFlatValues,
          .family = OpFamily::kUnaryElementwise};
}

}  // namespace

std::vector<OpDef> StringCaseOps() {
  return {
      Row("string_lower", "Makes ASCII letters, or all, small"),
      Row("string_upper", "Makes ASCII letters, or all, capital"),
  };
}

}  // namespace signet
