// ragged_from_dense: cuts the rows of a dense tensor. The constraints are those of docs/ops.md.
//
//   ragged_from_dense([[1, 2], [3, 0]], lengths=[2, 1])  =>  [[1, 2], [3]]

#include "core/ops/all_ops.h"
#include "core/ops/inference.h"
#include "core/ops/literal_inputs.h"
#include "core/ops/parts.h"

namespace signet {
namespace {

StatusOr<std::vector<GraphValue>> ExpandRaggedFromDense(Expander& expander, const OpCall& call,
                                                        std::span<const GraphValue> inputs) {
  // C1: input 0 is a tensor of known rank, at least 2.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  if (!x->shape().has_rank() || x->shape().rank() < 2) {
    return InvalidArgument("C1 input 0 is `", call.inputs[0],
                           "`; takes a known rank of at least 2");
  }
  // C2: `lengths` and `padding` are not both given.
  GraphValue lengths = inputs.size() > 1 ? inputs[1] : GraphValue{};
  GraphValue padding = inputs.size() > 2 ? inputs[2] : GraphValue{};
  SIGNET_ASSIGN_OR_RETURN(lengths, Labelled("C3", TensorFor(expander, lengths, DType::kInt64)));
  SIGNET_ASSIGN_OR_RETURN(padding, Labelled("C3", TensorFor(expander, padding, x->dtype())));
  if (lengths.spec && padding.spec) {
    return InvalidArgument("C2 both `lengths` and `padding`; takes at most one of them");
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue rows, DimSize(expander, inputs[0], 0));
  SIGNET_ASSIGN_OR_RETURN(GraphValue width, DimSize(expander, inputs[0], 1));
  RaggedParts parts;
  // C3: lengths are one a row; padding is a scalar of the dtype of input 0, which then is of
  // rank 2.
  if (lengths.spec || padding.spec) {
    if (padding.spec) {
      SIGNET_ASSIGN_OR_RETURN(
          lengths, Labelled("C3", expander.Call1("lengths_without_padding", {inputs[0], padding})));
    } else {
      SIGNET_ASSIGN_OR_RETURN(lengths,
                              Labelled("C3", expander.Call1("clip_lengths", {lengths, width})));
    }
    SIGNET_ASSIGN_OR_RETURN(GraphValue splits,
                            expander.Call1("row_splits_from_lengths", {lengths}));
    SIGNET_ASSIGN_OR_RETURN(parts.values, expander.Call1("unpad_rows", {inputs[0], splits}));
    parts.splits = {splits};
  } else {
    SIGNET_ASSIGN_OR_RETURN(GraphValue splits, expander.Call1("uniform_row_splits", {rows, width}));
    Attributes outer({{"first", AttributeOf(0)}, {"last", AttributeOf(1)}});
    SIGNET_ASSIGN_OR_RETURN(parts.values, expander.Call1("flatten", {inputs[0]}, outer));
    parts.splits = {splits};
  }
  PartialShape like = PartialShape::OfRank(x->shape().rank()).WithDim(0, x->shape().dim(0));
  SIGNET_ASSIGN_OR_RETURN(GraphValue out, MakeRaggedValue(parts, like));
  return std::vector<GraphValue>{out};
}

}  // namespace

OpDef RaggedFromDense() {
  return {
      .name = "ragged_from_dense",
      .summary = "Cuts the rows of a dense tensor to lengths, or before their padding",
      .inputs = {"x", "lengths?", "padding?"},
      .expand = ExpandRaggedFromDense,
      .literals_as_tensors = false,
  };
}

}  // namespace signet
