// string_split: splits each string into parts, which are a new row.
//
//   string_split(["a b", ""])                 =>  ragged [["a", "b"], []]
//   string_split(["a,,b"], separator=",")     =>  ragged [["a", "", "b"]]

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/def/inference.h"
#include "core/ops/text/string_input.h"
#include "core/ops/text/text_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferSplitText(const OpCall& call) {
  // C1: the input is a vector of strings.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, StringInput(call, 0));
  if (!x->shape().IsCompatibleWith(PartialShape::OfRank(1))) {
    return WithConstraint(
        "C1", InvalidArgument("input 0: expected a vector, found `", call.inputs[0], "`"));
  }
  // C2: `separator` is a string, or input 1 is a scalar string; an empty string means white space.
  // C3: `max_splits` is at least 0, or None.
  SIGNET_RETURN_IF_ERROR(WithConstraint("C2", call.attributes.String("separator").status()));
  SIGNET_RETURN_IF_ERROR(WithConstraint("C2", call.attributes.Bool("each_byte").status()));
  if (HasInput(call, 1)) {
    auto separator = TensorInput(call, 1);
    if (!separator.ok() || (*separator)->dtype() != DType::kString ||
        !(*separator)->shape().IsCompatibleWith(PartialShape::OfRank(0))) {
      return WithConstraint(
          "C2", InvalidArgument("input 1: expected `string[]`, found `", call.inputs[1], "`"));
    }
  }
  SIGNET_ASSIGN_OR_RETURN(auto most,
                          WithConstraint("C3", call.attributes.OptionalInt("max_splits")));
  if (most && *most < 0) {
    return WithConstraint(
        "C3", InvalidArgument("max_splits: expected at least 0 or None, found ", *most));
  }
  int64_t rows = x->shape().has_rank() ? x->shape().dim(0) : kUnknownDim;
  std::vector<TypeSpec> out =
      OneOutput(TensorType(DType::kInt64, {rows == kUnknownDim ? kUnknownDim : rows + 1}));
  out.push_back(TensorType(DType::kString, {kUnknownDim}));
  return out;
}

StatusOr<std::vector<GraphValue>> ExpandStringSplit(OpBuilder& build, const OpCall& call,
                                                    std::span<const GraphValue> inputs) {
  // C1: the input is a tensor or ragged value of strings, of known rank.
  SIGNET_ASSIGN_OR_RETURN(int rank, TextRank(inputs[0]));
  SIGNET_ASSIGN_OR_RETURN(Opened x, OpenRows(build, inputs[0], rank));
  SIGNET_ASSIGN_OR_RETURN(auto parts, build.CallAll("split_text", {x.elements}, call.attributes));
  if (rank == 0) return std::vector<GraphValue>{parts[1]};
  x.rows.dims.push_back(RaggedDim(parts[0]));
  return OneOutput(CloseRows(build, x.rows, parts[1]));
}

const std::vector<AttributeDef>& SplitAttributeDefs() {
  static const auto* const attributes = new std::vector<AttributeDef>{
      {"separator", AttributeOf("")}, {"max_splits", NoneAttribute()}};
  return *attributes;
}

}  // namespace

OpDef StringSplit() {
  return {
      .name = "string_split",
      .summary = "Splits strings at a separator",
      .description =
          "Returns the parts of each string as a new ragged dimension, or as a vector if x is a "
          "scalar. As in Python, a separator may produce empty parts. Without a separator, the "
          "parts are separated by runs of ASCII white space. After `max_splits` splits, the rest "
          "of the string is one part.",
      .inputs = {"x"},
      .attributes = SplitAttributeDefs(),
      .result = "A ragged value of strings with one more dimension; a vector if x is a scalar.",
      .constraints = {"x is a tensor or a ragged value of strings, of known rank.",
                      "`separator` is a string.", "`max_splits` is at least 0, or None."},
      .composites = "On a ragged value, the parts are a new innermost dimension.",
      .expand = ExpandStringSplit,
  };
}

OpDef SplitText() {
  std::vector<AttributeDef> attributes = SplitAttributeDefs();
  // Each byte of the separator separates. Without a separator, each byte of a string is a part.
  attributes.push_back({"each_byte", AttributeOf(false)});
  return {
      .name = "split_text",
      .summary = "Returns the row splits and all parts of a vector of strings",
      .inputs = {"x", "separator?"},
      .attributes = std::move(attributes),
      .outputs = {"row_splits", "values"},
      .constraints = {"x is a vector of strings.",
                      "`separator` is a string, as an attribute or as a scalar input.",
                      "`max_splits` is at least 0, or None."},
      .infer = InferSplitText,
      .internal = true,
  };
}

}  // namespace signet
