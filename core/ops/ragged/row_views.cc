// Row views: ops that make row splits from row ids, row starts, and row limits. C1: a size is
// `int64[]`.

#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/row_splits.h"
#include "core/ops/ragged/ragged_ops.h"

namespace signet {
namespace {

// Returns the length of input 0, or kUnknownDim. C2: input 0 is a vector of int32 or int64.
StatusOr<int64_t> ViewInput(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* view, TensorInput(call, 0));
  bool fits =
      IsIndexDType(view->dtype()) && view->shape().IsCompatibleWith(PartialShape::OfRank(1));
  if (!fits) {
    return WithConstraint("C2",
                          InvalidArgument("input 0: expected a vector of int32 or int64, found `",
                                          call.inputs[0], "`"));
  }
  return view->shape().has_rank() ? view->shape().dim(0) : kUnknownDim;
}

std::vector<TypeSpec> Splits(int64_t rows) {
  return OneOutput(TensorType(DType::kInt64, {SplitsFor(rows)}));
}

// C3: the numbers describe a partition. C4: there are not too many rows. The kernel checks both.
StatusOr<std::vector<TypeSpec>> InferFromRowIds(const OpCall& call) {
  SIGNET_RETURN_IF_ERROR(ViewInput(call).status());
  bool given = call.inputs.size() > 1 && call.inputs[1];
  if (!given) return Splits(kUnknownDim);
  SIGNET_RETURN_IF_ERROR(Int64ScalarInput(call, 1).status());
  const Tensor* rows = call.constant(1);
  int64_t known = rows == nullptr ? kUnknownDim : rows->scalar<int64_t>();
  bool fits = known >= 0 && known < kMaxOutputElements;
  return Splits(fits ? known : kUnknownDim);
}

StatusOr<std::vector<TypeSpec>> InferFromStarts(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(int64_t rows, ViewInput(call));
  SIGNET_RETURN_IF_ERROR(Int64ScalarInput(call, 1).status());
  return Splits(rows);
}

StatusOr<std::vector<TypeSpec>> InferFromLimits(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(int64_t rows, ViewInput(call));
  return Splits(rows);
}

}  // namespace

std::vector<OpDef> RowViewOps() {
  return {
      {.name = "row_splits_from_row_ids",
       .summary = "Creates row splits from the row number of each value",
       .description =
           "Creates row splits from the numbers of the rows that contain the values. There are "
           "`rows` rows. If `rows` is missing, the last row is the one with the largest number.",
       .inputs = {"row_ids", "rows?"},
       .result = "A vector of int64.",
       .constraints =
           {"The input is a tensor.", "The row numbers are a vector of int32 or int64.",
            "The row numbers do not decrease, and each is at least 0 and less than `rows`.",
            "There are at most 2^31 rows."},
       .composites = "The inputs are tensors or literals.",
       .infer = InferFromRowIds,
       .expand = ExpandWithInt64s,
       .literals_as_tensors = false},
      {.name = "row_splits_from_starts",
       .summary = "Creates row splits from the start of each row",
       .description =
           "Creates the row splits of rows that start at these positions, for `num_values` values.",
       .inputs = {"starts", "num_values"},
       .result = "A vector of int64.",
       .constraints = {"The input is a tensor.", "The starts are a vector of int32 or int64.",
                       "The first start is 0, and the starts do not decrease and do not exceed the "
                       "number of values."},
       .composites = "The inputs are tensors or literals.",
       .infer = InferFromStarts,
       .expand = ExpandWithInt64s,
       .literals_as_tensors = false},
      {.name = "row_splits_from_limits",
       .summary = "Creates row splits from the end of each row",
       .description = "Creates the row splits of rows that end before these positions.",
       .inputs = {"limits"},
       .result = "A vector of int64.",
       .constraints = {"The input is a tensor.", "The limits are a vector of int32 or int64.",
                       "The limits are at least 0 and do not decrease."},
       .infer = InferFromLimits},
  };
}

}  // namespace signet
