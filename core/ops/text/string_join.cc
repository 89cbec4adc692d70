// string_join: joins the strings along an axis into one string.
//
//   string_join([["a", "b"], ["c", ""]], separator="-")   =>  ["a-b", "c-"]

#include <numeric>

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/row_splits.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/def/inference.h"
#include "core/ops/text/string_input.h"
#include "core/ops/text/text_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferJoinRowText(const OpCall& call) {
  // C1: the values are a vector of strings. The row splits start at 0 and never decrease.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* values, StringInput(call, 0));
  if (!values->shape().IsCompatibleWith(PartialShape::OfRank(1))) {
    return WithConstraint(
        "C1", InvalidArgument("input 0: expected a vector, found `", call.inputs[0], "`"));
  }
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* splits, SplitsInput(call, 1));
  // C2: `separator` is a string. C3: the last row split is the number of values. The kernel checks
  // C3.
  SIGNET_RETURN_IF_ERROR(WithConstraint("C2", call.attributes.String("separator").status()));
  return OneOutput(TensorType(DType::kString, {KnownRows(*splits)}));
}

// Returns the tensor `x` with dimension `axis` moved to the end.
StatusOr<GraphValue> MoveAxisToEnd(OpBuilder& build, const GraphValue& x, int axis, int rank) {
  if (axis == rank - 1) return x;
  std::vector<int64_t> perm(static_cast<size_t>(rank));
  std::iota(perm.begin(), perm.end(), 0);
  perm.erase(perm.begin() + axis);
  perm.push_back(axis);
  return build.Transpose(x, {.perm = perm});
}

StatusOr<std::vector<GraphValue>> ExpandStringJoin(OpBuilder& build, const OpCall& call,
                                                   std::span<const GraphValue> inputs) {
  // C1: the input is a tensor or ragged value of strings, of known rank.
  SIGNET_ASSIGN_OR_RETURN(int rank, TextRank(inputs[0]));
  Attributes separator({{"separator", call.attributes.Lookup("separator")}});
  // C3: `axis` is a dimension, or None to join all strings. For a ragged value, it is the last
  // dimension.
  GraphValue x = inputs[0];
  int first = 0;  // the first dimension that is joined
  if (!IsNone(call.attributes, "axis")) {
    SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", rank, "C3"));
    first = rank - 1;
    if (x.spec.is(TypeKind::kTensor)) {
      SIGNET_ASSIGN_OR_RETURN(x, MoveAxisToEnd(build, x, axis, rank));
    } else if (axis != first) {
      return Unimplemented("unsupported axis ", axis, " for `", x.spec, "`; supported: ", first,
                           " (the last dimension) and None");
    }
  }
  if (rank == 0) return std::vector<GraphValue>{x};
  SIGNET_ASSIGN_OR_RETURN(Opened opened, OpenRows(build, x, rank));
  SIGNET_ASSIGN_OR_RETURN(GraphValue splits, Compose(build, opened.rows, first - 1, rank - 1));
  SIGNET_ASSIGN_OR_RETURN(GraphValue joined,
                          build.JoinRowText(opened.elements, splits,
                                            {.separator = call.attributes.Lookup("separator")}));
  opened.rows.dims.resize(static_cast<size_t>(first));
  GraphValue out;
  if (first == 0) {
    SIGNET_ASSIGN_OR_RETURN(out, build.Reshape(joined, {.shape = {}}));
  } else {
    SIGNET_ASSIGN_OR_RETURN(out, CloseRows(build, opened.rows, joined, x.spec));
  }
  return std::vector<GraphValue>{out};
}

}  // namespace

OpDef StringJoin() {
  return {
      .name = "string_join",
      .summary = "Joins strings along an axis",
      .description =
          "Joins the strings along `axis` into one, with the separator between them. If `axis` is "
          "None, joins all strings. If there are no strings, the result is \"\". To join two "
          "values element by element, use `string_concat`.",
      .inputs = {"x"},
      .attributes = {{"axis", AttributeOf(-1)}, {"separator", AttributeOf("")}},
      .result = "A value of strings without dimension `axis`.",
      .constraints = {"x is a tensor or a ragged value of strings, of known rank.",
                      "`separator` is a string.",
                      "`axis` is a dimension or None. On a ragged value, it is the last dimension "
                      "or None (UNIMPLEMENTED)."},
      .composites = "On a ragged value, the op joins each innermost row.",
      .expand = ExpandStringJoin,
      .family = OpFamily::kReduction,
  };
}

OpDef JoinRowText() {
  return {
      .name = "join_row_text",
      .summary = "Joins the strings of each row",
      .inputs = {"values", "row_splits"},
      .attributes = {{"separator", AttributeOf("")}},
      .constraints = {"The values are a vector of strings, and input 1 is row splits.",
                      "`separator` is a string.", "The row splits end at the number of values."},
      .infer = InferJoinRowText,
      .own_dtypes = {"row_splits"},
      .internal = true,
  };
}

}  // namespace signet
