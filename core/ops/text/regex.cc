// Regular expressions, of RE2: matching takes time that is linear in the text, and memory that is
// bounded, whatever the pattern. The constraints are those of docs/reference/ops/text.md.
//
//   regex_replace(["a1b22"], pattern="[0-9]+", rewrite="<\\0>")  =>  ["a<1>b<22>"]

#include "core/ops/build/flat_values.h"
#include "core/ops/def/inference.h"
#include "core/ops/text/string_input.h"
#include "core/ops/text/text_ops.h"

namespace signet {
namespace {

// C1: the input is a tensor of strings. C2: `pattern` is a regular expression of RE2: one that it
// cannot read, or whose program would be too large, is refused when the kernel is made.
StatusOr<const TensorSpec*> RegexInput(const OpCall& call) {
  SIGNET_RETURN_IF_ERROR(Labelled("C2", call.attributes.String("pattern").status()));
  return StringInput(call, 0);
}

StatusOr<std::vector<TypeSpec>> InferReplace(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, RegexInput(call));
  // C3: `rewrite` names groups of the pattern; `all` is True or False.
  SIGNET_RETURN_IF_ERROR(Labelled("C3", call.attributes.String("rewrite").status()));
  SIGNET_RETURN_IF_ERROR(Labelled("C3", call.attributes.Bool("all").status()));
  return OneOutput(TensorType(DType::kString, x->shape()));
}

StatusOr<std::vector<TypeSpec>> InferFullMatch(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, RegexInput(call));
  return OneOutput(TensorType(DType::kBool, x->shape()));
}

StatusOr<std::vector<TypeSpec>> InferExtract(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, RegexInput(call));
  // C3: `group` is one of the pattern, or 0 for the whole match.
  SIGNET_RETURN_IF_ERROR(Labelled("C3", call.attributes.Int("group").status()));
  return OneOutput(TensorType(DType::kString, x->shape()));
}

}  // namespace

std::vector<OpDef> RegexOps() {
  return {
      {.name = "regex_replace",
       .summary = "Replaces what matches a regular expression",
       .inputs = {"x"},
       .attributes = {{"pattern"}, {"rewrite"}, {"all", AttributeOf(true)}},
       .infer = InferReplace,
       .expand = ExpandOnFlatValues,
       .family = OpFamily::kUnaryElementwise},
      {.name = "regex_full_match",
       .summary = "Tells whether a regular expression matches the whole of each string",
       .inputs = {"x"},
       .attributes = {{"pattern"}},
       .infer = InferFullMatch,
       .expand = ExpandOnFlatValues,
       .family = OpFamily::kUnaryElementwise},
      {.name = "regex_extract",
       .summary = "Takes what matches a regular expression first, or a group of it",
       .inputs = {"x"},
       .attributes = {{"pattern"}, {"group", AttributeOf(0)}},
       .infer = InferExtract,
       .expand = ExpandOnFlatValues,
       .family = OpFamily::kUnaryElementwise},
  };
}

}  // namespace signet
