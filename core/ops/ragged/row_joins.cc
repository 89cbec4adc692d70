// Row joins: ops on row splits that join rows: interleave_rows, tile_rows.

#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/row_splits.h"
#include "core/ops/ragged/ragged_ops.h"

namespace signet {
namespace {

std::vector<TypeSpec> SplitsAndPositions(DType dtype, int64_t rows) {
  std::vector<TypeSpec> out = OneOutput(TensorType(dtype, {SplitsFor(rows)}));
  out.push_back(TensorType(DType::kInt64, {kUnknownDim}));
  return out;
}

StatusOr<std::vector<TypeSpec>> InferInterleaveRows(const OpCall& call) {
  if (call.inputs.empty())
    return WithConstraint("C1", InvalidArgument("expected at least one input, found none"));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* first, SplitsInput(call, 0));
  PartialShape shape = first->shape();
  for (size_t i = 1; i < call.inputs.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* splits, SplitsInput(call, i));
    // C2: all inputs have the same dtype and the same number of rows.
    auto merged = shape.MergeWith(splits->shape());
    if (splits->dtype() != first->dtype() || !merged.ok()) {
      return WithConstraint(
          "C2",
          InvalidArgument("input ", i, ": expected the dtype and number of rows of input 0, `",
                          call.inputs[0], "`, found `", call.inputs[i], "`"));
    }
    shape = *std::move(merged);
  }
  int64_t entries = shape.has_rank() ? shape.dim(0) : kUnknownDim;
  return SplitsAndPositions(first->dtype(), entries == kUnknownDim ? kUnknownDim : entries - 1);
}

StatusOr<std::vector<TypeSpec>> InferTileRows(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* splits, SplitsInput(call, 0));
  // C2: the multiple is at least 0. The kernel checks this.
  SIGNET_RETURN_IF_ERROR(Int64ScalarInput(call, 1).status());
  return SplitsAndPositions(splits->dtype(), KnownRows(*splits));
}

}  // namespace

std::vector<OpDef> RowJoinOps() {
  return {
      {
          .name = "interleave_rows",
          .summary = "Joins rows of several inputs row by row",
          .inputs = {"row_splits..."},
          .outputs = {"row_splits", "positions"},
          .constraints = {"Each input is row splits.",
                          "All inputs have the same dtype and the same number of rows.",
                          "There are at most 2^31 values, and the dtype can hold their number."},
          .infer = InferInterleaveRows,
          .internal = true,
      },
      {
          .name = "tile_rows",
          .summary = "Repeats the values within each row",
          .inputs = {"row_splits", "multiple"},
          .outputs = {"row_splits", "positions"},
          .constraints = {"Input 0 is row splits.", "`multiple` is at least 0.",
                          "There are at most 2^31 values, and the dtype can hold their number."},
          .infer = InferTileRows,
          .expand = ExpandWithInt64s,
          .literals_as_tensors = false,
          .internal = true,
      },
  };
}

}  // namespace signet
