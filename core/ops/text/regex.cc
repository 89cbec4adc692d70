// regex_replace, regex_full_match, regex_extract: search strings with regular expressions of RE2.
// For any pattern, the time is linear in the length of the text, and the memory is bounded.
//
//   regex_replace(["a1b22"], pattern="[0-9]+", rewrite="<\\0>")  =>  ["a<1>b<22>"]

#include "core/ops/build/flat_values.h"
#include "core/ops/def/inference.h"
#include "core/ops/text/string_input.h"
#include "core/ops/text/text_ops.h"

namespace signet {
namespace {

// C1: the input is a tensor of strings. C2: `pattern` is a regular expression of RE2. When the
// kernel is created, it rejects a pattern that RE2 cannot parse or whose program is too large.
StatusOr<const TensorSpec*> RegexInput(const OpCall& call) {
  SIGNET_RETURN_IF_ERROR(WithConstraint("C2", call.attributes.String("pattern").status()));
  return StringInput(call, 0);
}

StatusOr<std::vector<TypeSpec>> InferReplace(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, RegexInput(call));
  // C3: `rewrite` refers to groups of the pattern; `all` is True or False.
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", call.attributes.String("rewrite").status()));
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", call.attributes.Bool("all").status()));
  return OneOutput(TensorType(DType::kString, x->shape()));
}

StatusOr<std::vector<TypeSpec>> InferFullMatch(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, RegexInput(call));
  return OneOutput(TensorType(DType::kBool, x->shape()));
}

StatusOr<std::vector<TypeSpec>> InferExtract(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, RegexInput(call));
  // C3: `group` is the number of a group of the pattern, or 0 for the whole match.
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", call.attributes.Int("group").status()));
  return OneOutput(TensorType(DType::kString, x->shape()));
}

// C1: input 0 is a tensor of strings. C2: the other inputs are scalar strings, which the kernel
// compiles at each call.
StatusOr<const TensorSpec*> ComputedPatternInput(const OpCall& call) {
  for (size_t i = 1; i < call.inputs.size(); ++i) {
    auto text = TensorInput(call, i);
    if (!text.ok() || (*text)->dtype() != DType::kString ||
        !(*text)->shape().IsCompatibleWith(PartialShape::OfRank(0))) {
      return WithConstraint("C2", InvalidArgument("input ", i, ": expected `string[]`, found `",
                                                  call.inputs[i], "`"));
    }
  }
  return StringInput(call, 0);
}

StatusOr<std::vector<TypeSpec>> InferReplaceComputed(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, ComputedPatternInput(call));
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", call.attributes.Bool("all").status()));
  return OneOutput(TensorType(DType::kString, x->shape()));
}

StatusOr<std::vector<TypeSpec>> InferFullMatchComputed(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, ComputedPatternInput(call));
  return OneOutput(TensorType(DType::kBool, x->shape()));
}

constexpr char kPatternDescription[] =
    "Patterns have the syntax of RE2 (https://github.com/google/re2/wiki/Syntax), on UTF-8, and "
    "take time that is linear in the text. A pattern is compiled when the function is specialized; "
    "it has at most 16 KiB, and its program has at most 1 MiB. A string has at most 16 MiB "
    "(RESOURCE_EXHAUSTED), because a search cannot be stopped.";

}  // namespace

std::vector<OpDef> RegexOps() {
  return {
      {.name = "regex_replace",
       .summary = "Replaces matches of a regular expression",
       .description = Cat("Replaces each match of the pattern, or only the first one if `all` is "
                          "False, by `rewrite`. In it, `\\0` is the match, `\\1` to `\\9` are "
                          "groups, and `\\\\` is a backslash. ",
                          kPatternDescription),
       .inputs = {"x"},
       .attributes = {{"pattern"}, {"rewrite"}, {"all", AttributeOf(true)}},
       .result = "A value of strings with the shape of x.",
       .constraints = {"x is a tensor or a ragged value of strings.",
                       "`pattern` is a regular expression that is not too large.",
                       "`rewrite` refers to groups that the pattern has, at most 9."},
       .composites = "On a ragged value, the op works on the flat values.",
       .infer = InferReplace,
       .expand = ExpandOnFlatValues,
       .family = OpFamily::kUnaryElementwise},
      {.name = "regex_full_match",
       .summary = "Checks whether a regular expression matches whole strings",
       .description =
           Cat("Returns True where the pattern matches the whole string. ", kPatternDescription),
       .inputs = {"x"},
       .attributes = {{"pattern"}},
       .result = "A value of bool with the shape of x.",
       .constraints = {"x is a tensor or a ragged value of strings.",
                       "`pattern` is a regular expression that is not too large."},
       .composites = "On a ragged value, the op works on the flat values.",
       .infer = InferFullMatch,
       .expand = ExpandOnFlatValues,
       .family = OpFamily::kUnaryElementwise},
      {.name = "regex_extract",
       .summary = "Extracts the first match of a regular expression",
       .description = Cat("Returns the first match of the pattern in each string, or a group of "
                          "it; \"\" if there is no match. ",
                          kPatternDescription),
       .inputs = {"x"},
       .attributes = {{"pattern"}, {"group", AttributeOf(0)}},
       .result = "A value of strings with the shape of x.",
       .constraints = {"x is a tensor or a ragged value of strings.",
                       "`pattern` is a regular expression that is not too large.",
                       "`group` is the number of a group that the pattern has, at most 9."},
       .composites = "On a ragged value, the op works on the flat values.",
       .infer = InferExtract,
       .expand = ExpandOnFlatValues,
       .family = OpFamily::kUnaryElementwise},
      {.name = "regex_replace_computed",
       .summary = "Replaces matches of a pattern that is compiled at each call",
       .inputs = {"x", "pattern", "rewrite"},
       .attributes = {{"all", AttributeOf(true)}},
       .constraints = {"x is a tensor of strings.",
                       "`pattern` is a scalar regular expression that is not too large.",
                       "`rewrite` is a scalar that refers to groups that the pattern has, at most "
                       "9."},
       .infer = InferReplaceComputed,
       .internal = true},
      {.name = "regex_full_match_computed",
       .summary = "Matches whole strings with a pattern that is compiled at each call",
       .inputs = {"x", "pattern"},
       .constraints = {"x is a tensor of strings.",
                       "`pattern` is a scalar regular expression that is not too large."},
       .infer = InferFullMatchComputed,
       .internal = true},
  };
}

}  // namespace signet
