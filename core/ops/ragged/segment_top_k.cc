// segment_top_k: finds the k largest scores of each row.
//
//   segment_top_k([3, 1, 2, 9], [0, 3, 4], k=2)  =>  [0, 2, 0], [0, 2, 3]
// Output 0 contains positions within the rows, sorted from the largest score. Output 1 contains
// their row splits.

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/row_splits.h"
#include "core/ops/def/int_list.h"
#include "core/ops/ragged/ragged_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferSegmentTopK(const OpCall& call) {
  // C1: input 1 is row splits.
  SIGNET_RETURN_IF_ERROR(CheckSegmentInputs(call));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* scores, TensorInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* splits, SplitsInput(call, 1));
  // C2: the scores are a vector of integers or floats.
  bool ordered = IsInteger(scores->dtype()) || IsFloat(scores->dtype());
  if (!ordered || !scores->shape().IsCompatibleWith(PartialShape::OfRank(1))) {
    return WithConstraint(
        "C2", InvalidArgument("input 0: expected a vector of integers or floats, found `",
                              call.inputs[0], "`"));
  }
  // C4: `k` is at least 0. The kernel checks C3, the end of the splits.
  SIGNET_RETURN_IF_ERROR(WithConstraint("C4", RequiredCount(call, "k", 2).status()));
  std::vector<TypeSpec> out = OneOutput(TensorType(DType::kInt64, {kUnknownDim}));
  out.push_back(TensorType(splits->dtype(), splits->shape()));
  return out;
}

// Expands calls with ragged scores. Output 0 is ragged, with one list of positions per row. Output
// 1 contains its row splits.
StatusOr<std::vector<GraphValue>> ExpandSegmentTopK(OpBuilder& build, const OpCall& call,
                                                    std::span<const GraphValue> inputs) {
  if (inputs.size() > 1 && inputs[1].spec) return CheckSegmentInputs(call);
  SIGNET_ASSIGN_OR_RETURN(RaggedParts parts, PartsOfRows(inputs[0]));
  GraphValue k = inputs.size() > 2 ? inputs[2] : GraphValue{};
  SIGNET_ASSIGN_OR_RETURN(
      auto outputs,
      build.CallAll(call.op.name, {parts.values, parts.splits.back(), k}, call.attributes));
  parts.values = outputs[0];
  parts.splits.back() = outputs[1];
  SIGNET_ASSIGN_OR_RETURN(outputs[0], MakeRaggedValue(parts));
  return outputs;
}

}  // namespace

OpDef SegmentTopK() {
  return {
      .name = "segment_top_k",
      .summary = "Finds the k largest scores of each row",
      .description =
          "Returns the positions, within each row, of the k largest scores of the row, with the "
          "largest first. A shorter row has fewer. Of equal scores, the first one comes first. NaN "
          "is greater than every number. `gather` with `batch_dims=1` returns the elements of any "
          "column at these positions, and `flat_positions` converts them to positions in the flat "
          "values. `k` is an attribute or an input.",
      .inputs = {"scores", "row_splits?", "k?"},
      .attributes = {{"k", NoneAttribute()}},
      .outputs = {"positions", "row_splits"},
      .result = "Two outputs: the int64 positions, and their row splits.",
      .constraints = {"Input 1 is row splits.", "The scores are a vector of integers or floats.",
                      "The row splits end at the number of scores.", "`k` is at least 0."},
      .composites = "If the scores are ragged, output 0 is ragged.",
      .infer = InferSegmentTopK,
      .expand = ExpandSegmentTopK,
      .own_dtypes = {"row_splits", "k"},
  };
}

}  // namespace signet
