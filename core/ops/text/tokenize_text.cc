// tokenize_text: splits strings into tokens with regular expressions.

#include "core/ops/def/inference.h"
#include "core/ops/text/string_input.h"
#include "core/ops/text/text_ops.h"
#include "signet/sequence_spec.h"

namespace signet {
namespace {

constexpr size_t kMaxPatterns = 64;

StatusOr<std::vector<TypeSpec>> InferTokenizeText(const OpCall& call) {
  // C1: the input is a vector of strings.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, StringInput(call, 0));
  if (!x->shape().IsCompatibleWith(PartialShape::OfRank(1))) {
    return WithConstraint(
        "C1", InvalidArgument("input 0: expected a vector, found `", call.inputs[0], "`"));
  }
  // C2: `patterns` are regular expressions; with `matches` there is exactly one.
  SIGNET_ASSIGN_OR_RETURN(auto patterns, WithConstraint("C2", call.attributes.Strings("patterns")));
  SIGNET_ASSIGN_OR_RETURN(bool matches, WithConstraint("C2", call.attributes.Bool("matches")));
  if (matches && patterns.size() != 1) {
    return WithConstraint(
        "C2",
        InvalidArgument("`patterns`: expected 1 pattern with `matches`, found ", patterns.size()));
  }
  if (patterns.size() > kMaxPatterns) {
    return WithConstraint("C2", ResourceExhausted("`patterns`: expected at most ", kMaxPatterns,
                                                  " patterns, found ", patterns.size()));
  }
  // C3: `min_characters` is at least 0.
  SIGNET_ASSIGN_OR_RETURN(int64_t least,
                          WithConstraint("C3", call.attributes.Int("min_characters")));
  if (least < 0) {
    return WithConstraint("C3",
                          InvalidArgument("`min_characters`: expected at least 0, found ", least));
  }
  int64_t rows = x->shape().has_rank() ? x->shape().dim(0) : kUnknownDim;
  std::vector<TypeSpec> out =
      OneOutput(TensorType(DType::kInt64, {rows == kUnknownDim ? kUnknownDim : rows + 1}));
  out.push_back(TensorType(DType::kString, {kUnknownDim}));
  return out;
}

}  // namespace

OpDef TokenizeText() {
  return {
      .name = "tokenize_text",
      .summary = "Returns the row splits and all tokens of a vector of strings",
      .description =
          "Splits each string into tokens. `patterns` are regular expressions of RE2. The first "
          "expression separates tokens; the second one splits these tokens again, and so on. With "
          "`matches`, the only pattern matches the tokens themselves. Without patterns, each "
          "character is a token. Tokens with fewer than `min_characters` characters are left out. "
          "With patterns, a string has at most 16 MiB (RESOURCE_EXHAUSTED).",
      .inputs = {"x"},
      .attributes = {{"patterns", ListType({})},
                     {"matches", AttributeOf(false)},
                     {"min_characters", AttributeOf(1)}},
      .outputs = {"row_splits", "values"},
      .result = "Two outputs: the row splits, and the tokens of all strings.",
      .constraints =
          {"x is a vector of strings.",
           "`patterns` are at most 64 regular expressions. With `matches`, there is exactly one.",
           "`min_characters` is at least 0."},
      .infer = InferTokenizeText,
  };
}

}  // namespace signet
