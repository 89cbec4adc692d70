// text_code_points, text_from_code_points: convert text to the numbers of its characters, and back.
//
//   text_code_points(["ab", "c"])                  =>  [0, 2, 3], [97, 98, 99], [0, 1, 0]
//   text_from_code_points([97, 98, 99], [0, 2, 3])  =>  ["ab", "c"]

#include "core/ops/build/row_splits.h"
#include "core/ops/def/inference.h"
#include "core/ops/text/string_input.h"
#include "core/ops/text/text_ops.h"

namespace signet {
namespace {

Status CheckErrors(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(std::string errors,
                          WithConstraint("C2", call.attributes.String("errors")));
  if (errors != "replace" && errors != "ignore" && errors != "strict") {
    return WithConstraint("C2", InvalidArgument("unsupported `errors` `", Printable(errors),
                                                "`; supported: ignore, replace, strict"));
  }
  SIGNET_ASSIGN_OR_RETURN(int64_t replacement,
                          WithConstraint("C2", call.attributes.Int("replacement")));
  if (replacement < 0 || replacement > 0x10ffff ||
      (replacement >= 0xd800 && replacement <= 0xdfff)) {
    return WithConstraint(
        "C2", InvalidArgument("replacement: expected a character, found ", replacement));
  }
  return absl::OkStatus();
}

StatusOr<std::vector<TypeSpec>> InferTextCodePoints(const OpCall& call) {
  // C1: the input is a vector of strings.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, StringInput(call, 0));
  if (!x->shape().IsCompatibleWith(PartialShape::OfRank(1))) {
    return WithConstraint(
        "C1", InvalidArgument("input 0: expected a vector, found `", call.inputs[0], "`"));
  }
  // C2: `errors`, `replacement`, and `replace_control` have supported values.
  SIGNET_RETURN_IF_ERROR(CheckErrors(call));
  SIGNET_RETURN_IF_ERROR(WithConstraint("C2", call.attributes.Bool("replace_control").status()));
  const int64_t rows = x->shape().has_rank() ? x->shape().dim(0) : kUnknownDim;
  return std::vector<TypeSpec>{
      TensorType(DType::kInt64, {rows == kUnknownDim ? kUnknownDim : rows + 1}),
      TensorType(DType::kInt32, {kUnknownDim}), TensorType(DType::kInt64, {kUnknownDim})};
}

StatusOr<std::vector<TypeSpec>> InferTextFromCodePoints(const OpCall& call) {
  // C1: the code points are a vector of int32, and input 1 is row splits.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* splits, SplitsInput(call, 1));
  if (x->dtype() != DType::kInt32 || !x->shape().IsCompatibleWith(PartialShape::OfRank(1))) {
    return WithConstraint(
        "C1", InvalidArgument("input 0: expected a vector of int32, found `", call.inputs[0], "`"));
  }
  SIGNET_RETURN_IF_ERROR(CheckErrors(call));
  return OneOutput(TensorType(DType::kString, {KnownRows(*splits)}));
}

}  // namespace

std::vector<OpDef> CodePointOps() {
  const std::vector<AttributeDef> attributes = {{"errors", AttributeOf("replace")},
                                                {"replacement", AttributeOf(0xfffd)}};
  std::vector<AttributeDef> decoding = attributes;
  decoding.push_back({"replace_control", AttributeOf(false)});
  return {
      {.name = "text_code_points",
       .summary = "Returns the code points of the characters of strings",
       .description =
           "Decodes strings of UTF-8 text. Returns the code points of all characters, the row "
           "splits of the strings, and the position of the first byte of each character in its "
           "string. A sequence of bytes that is not UTF-8 is `replacement` with `errors` "
           "`replace`, is left out with `ignore`, and is an error with `strict`. With "
           "`replace_control`, control characters below 32 are replaced, too.",
       .inputs = {"x"},
       .attributes = decoding,
       .outputs = {"row_splits", "values", "starts"},
       .result = "Three outputs: the row splits, the code points as int32, and the positions.",
       .constraints = {"The input is a vector of strings.",
                       "`errors` is `ignore`, `replace`, or `strict`, `replacement` is a "
                       "character, and `replace_control` is a bool.",
                       "With `strict`, each string is UTF-8."},
       .infer = InferTextCodePoints},
      {.name = "text_from_code_points",
       .summary = "Creates strings from the code points of their characters",
       .description =
           "Encodes each row of code points as a string of UTF-8 text. A number that is not a "
           "character is `replacement` with `errors` `replace`, is left out with `ignore`, and is "
           "an error with `strict`.",
       .inputs = {"values", "row_splits"},
       .attributes = attributes,
       .result = "A vector with one string per row.",
       .constraints = {"The code points are a vector of int32, and input 1 is row splits.",
                       "`errors` is `ignore`, `replace`, or `strict`, and `replacement` is a "
                       "character.",
                       "The row splits end at the number of code points.",
                       "With `strict`, each number is a character."},
       .infer = InferTextFromCodePoints,
       .own_dtypes = {"row_splits"}},
  };
}

}  // namespace signet
