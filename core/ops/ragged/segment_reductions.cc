// Segment reductions: one result a row of values. The constraints are those of
// docs/reference/ops.md.
//
//   segment_sum(values, row_splits)   values: float32[n, d], row_splits: int64[rows + 1]  =>
//   float32[rows, d]

#include "core/ops/build/default_for_empty.h"
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
  Takes takes;
};

constexpr Row kRows[] = {
    {"segment_sum", "Adds up each row", Takes::kNumbers},
    {"segment_mean", "Takes the mean of each row", Takes::kNumbers},
    {"segment_prod", "Multiplies each row", Takes::kNumbers},
    {"segment_max", "Takes the largest of each row", Takes::kOrdered},
    {"segment_min", "Takes the smallest of each row", Takes::kOrdered},
    {"segment_any", "Tells whether any of each row holds", Takes::kBools},
    {"segment_all", "Tells whether all of each row hold", Takes::kBools},
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

const char* Wanted(Takes takes) {
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
  // C2: values are of rank at least 1, and of a dtype that the reduction takes.
  const PartialShape& shape = values->shape();
  if (!Fits(values->dtype(), row.takes) || (shape.has_rank() && shape.rank() == 0)) {
    return InvalidArgument("C2 input 0 is `", call.inputs[0], "`; takes ", Wanted(row.takes),
                           " of rank at least 1");
  }
  // C3: the splits end at the number of values.
  int64_t count = KnownValues(call, 1);
  if (count != kUnknownDim && shape.has_rank() && shape.dim(0) != kUnknownDim &&
      shape.dim(0) != count) {
    return InvalidArgument("C3 row_splits end at ", count, "; there are ", shape.dim(0), " values");
  }
  bool float_mean = call.op.name == "segment_mean" && IsInteger(values->dtype());
  DType dtype = float_mean ? DType::kFloat64 : values->dtype();
  // C4: `default` is None or a number.
  SIGNET_RETURN_IF_ERROR(Labelled("C4", DefaultForEmpty(call.attributes, dtype)).status());
  PartialShape out = shape.has_rank() ? shape.WithDim(0, KnownRows(*splits)) : PartialShape();
  return OneOutput(TensorType(dtype, std::move(out)));
}

// segment_sum(x) of a ragged value: over its innermost ragged dimension.
StatusOr<std::vector<GraphValue>> ExpandSegmentReduction(Expander& expander, const OpCall& call,
                                                         std::span<const GraphValue> inputs) {
  if (inputs.size() == 2 && inputs[1].spec) return CheckSegmentInputs(call);
  SIGNET_ASSIGN_OR_RETURN(GraphValue splits, InnermostSplits(inputs[0]));
  RaggedParts parts = RaggedPartsOf(inputs[0]);
  parts.splits.pop_back();
  SIGNET_ASSIGN_OR_RETURN(parts.values,
                          expander.Call1(call.op.name, {parts.values, splits}, call.attributes));
  SIGNET_ASSIGN_OR_RETURN(GraphValue out, MakeRaggedValue(parts));
  return std::vector<GraphValue>{out};
}

}  // namespace

std::vector<OpDef> SegmentReductionOps() {
  std::vector<OpDef> ops;
  for (const Row& row : kRows) {
    OpDef op = {
        .name = row.name,
        .summary = row.summary,
        .inputs = {"values", "row_splits?"},
        .infer = InferSegmentReduction,
        .expand = ExpandSegmentReduction,
        .own_dtypes = {"row_splits"},
    };
    if (HasDefaultForEmpty(op.name)) op.attributes = {{"default", NoneAttribute()}};
    ops.push_back(std::move(op));
  }
  return ops;
}

}  // namespace signet
