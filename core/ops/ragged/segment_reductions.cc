// Segment reductions: ops with one result per row of values.
//
//   segment_sum(values, row_splits)   values: float32[n, d], row_splits: int64[rows + 1]  =>
//   float32[rows, d]

#include "core/ops/build/default_for_empty.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/row_splits.h"
#include "core/ops/def/inference.h"
#include "core/ops/ragged/ragged_ops.h"

namespace signet {
namespace {

enum class Takes : uint8_t { kNumbers, kOrdered, kBools };

struct Row {
  const char* name;
  const char* summary;
  const char* description;  // follows "Returns for each row "
  Takes takes;
};

constexpr Row kRows[] = {
    {"segment_sum", "Adds the values of each row",
     "the sum. Integers wrap around. The result for an empty row is 0.", Takes::kNumbers},
    {"segment_mean", "Computes the mean of each row",
     "the mean, in float64 for integers. The result for an empty row is `default`, or else NaN.",
     Takes::kNumbers},
    {"segment_prod", "Multiplies the values of each row",
     "the product. Integers wrap around. The result for an empty row is 1.", Takes::kNumbers},
    {"segment_max", "Finds the largest value of each row",
     "the largest value, or NaN if there is a NaN. The result for an empty row is `default`, or "
     "else the smallest finite number of the dtype.",
     Takes::kOrdered},
    {"segment_min", "Finds the smallest value of each row",
     "the smallest value, or NaN if there is a NaN. The result for an empty row is `default`, or "
     "else the largest finite number of the dtype.",
     Takes::kOrdered},
    {"segment_any", "Checks whether any value of each row is true",
     "True if at least one value is True. The result for an empty row is False.", Takes::kBools},
    {"segment_all", "Checks whether all values of each row are true",
     "True if all values are True. The result for an empty row is True.", Takes::kBools},
};

bool Fits(DType dtype, Takes takes) {
  switch (takes) {
    case Takes::kNumbers:
      return IsNumeric(dtype);
    case Takes::kOrdered:
      return IsInteger(dtype) || IsFloat(dtype);
    case Takes::kBools:
      return dtype == DType::kBool;
  }
  return false;
}

const char* AcceptedDTypes(Takes takes) {
  switch (takes) {
    case Takes::kNumbers:
      return "numbers";
    case Takes::kOrdered:
      return "integers or floats";
    case Takes::kBools:
      return "bool";
  }
  return "";
}

const Row& RowOf(const OpCall& call) {
  for (const Row& row : kRows) {
    if (call.op.name == row.name) return row;
  }
  SIGNET_CHECK(false);
  return kRows[0];
}

StatusOr<std::vector<TypeSpec>> InferSegmentReduction(const OpCall& call) {
  // C1: input 1 is row splits.
  SIGNET_RETURN_IF_ERROR(CheckSegmentInputs(call));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* values, TensorInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* splits, SplitsInput(call, 1));
  const Row& row = RowOf(call);
  // C2: the values have a rank of at least 1 and a dtype that the reduction accepts.
  const PartialShape& shape = values->shape();
  if (!Fits(values->dtype(), row.takes) || (shape.has_rank() && shape.rank() == 0)) {
    return WithConstraint("C2", InvalidArgument("input 0 of type `", call.inputs[0], "`: expected ",
                                                AcceptedDTypes(row.takes), " of rank at least 1"));
  }
  // C3: the splits end at the number of values.
  int64_t count = KnownValues(call, 1);
  if (count != kUnknownDim && shape.has_rank() && shape.dim(0) != kUnknownDim &&
      shape.dim(0) != count) {
    return WithConstraint(
        "C3", InvalidArgument("row_splits: expected ", shape.dim(0),
                              " as the last entry, the number of values, found ", count));
  }
  bool float_mean = call.op.name == "segment_mean" && IsInteger(values->dtype());
  DType dtype = float_mean ? DType::kFloat64 : values->dtype();
  // C4: `default` is None or a number.
  SIGNET_RETURN_IF_ERROR(WithConstraint("C4", DefaultForEmpty(call.attributes, dtype)).status());
  PartialShape out = shape.has_rank() ? shape.WithDim(0, KnownRows(*splits)) : PartialShape();
  return OneOutput(TensorType(dtype, std::move(out)));
}

// Expands segment_sum(x) of a ragged value: reduces its innermost ragged dimension.
StatusOr<std::vector<GraphValue>> ExpandSegmentReduction(OpBuilder& build, const OpCall& call,
                                                         std::span<const GraphValue> inputs) {
  if (inputs.size() == 2 && inputs[1].spec) return CheckSegmentInputs(call);
  SIGNET_ASSIGN_OR_RETURN(RaggedParts parts, PartsOfRows(inputs[0]));
  GraphValue splits = std::move(parts.splits.back());
  parts.splits.pop_back();
  SIGNET_ASSIGN_OR_RETURN(parts.values,
                          build.CallOne(call.op.name, {parts.values, splits}, call.attributes));
  return OneOutput(MakeRaggedValue(parts));
}

const char* DTypesOf(Takes takes) {
  switch (takes) {
    case Takes::kNumbers:
      return "numeric";
    case Takes::kOrdered:
      return "an integer or float dtype";
    case Takes::kBools:
      return "bool";
  }
  __builtin_unreachable();
}

constexpr char kRowsDescription[] =
    "The rows are those that `row_splits` makes of the values: row i consists of the values from "
    "row_splits[i] to before row_splits[i + 1].";

}  // namespace

std::vector<OpDef> SegmentReductionOps() {
  std::vector<OpDef> ops;
  for (const Row& row : kRows) {
    OpDef op = {
        .name = row.name,
        .summary = row.summary,
        .description = Cat("Returns, for each row, ", row.description, " ", kRowsDescription),
        .inputs = {"values", "row_splits?"},
        .result = "A tensor with one element per row; for input `values[n, d]`, `[rows, d]`.",
        .constraints = {"Input 1 is row splits.",
                        Cat("The values have a rank of at least 1 and the dtype is ",
                            DTypesOf(row.takes), "."),
                        "The row splits end at the number of values."},
        .composites = "With one input, a ragged value, the op reduces its innermost rows.",
        .infer = InferSegmentReduction,
        .expand = ExpandSegmentReduction,
        .own_dtypes = {"row_splits"},
    };
    if (HasDefaultForEmpty(op.name)) {
      op.attributes = {{"default", NoneAttribute()}};
      op.constraints.push_back(
          "`default` is None or a number that the dtype of the result can hold.");
    }
    ops.push_back(std::move(op));
  }
  return ops;
}

}  // namespace signet
