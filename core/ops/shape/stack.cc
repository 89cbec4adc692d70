// stack: joins values along a new axis.

#include "core/ops/build/op_builder.h"
#include "core/ops/build/rows/joins.h"
#include "core/ops/build/sparse/sparse_structure.h"
#include "core/ops/def/inference.h"
#include "core/ops/shape/shape_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferStack(const OpCall& call) {
  // C1: at least one input, and all of them are tensors.
  if (call.inputs.empty())
    return WithConstraint("C1", InvalidArgument("expected at least one input, found none"));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* first, TensorInput(call, 0));
  PartialShape shape = first->shape();
  for (size_t i = 1; i < call.inputs.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* input, TensorInput(call, i));
    // C2: the inputs have the same dtype and the same shape.
    auto merged = shape.MergeWith(input->shape());
    if (input->dtype() != first->dtype() || !merged.ok()) {
      return WithConstraint(
          "C2", InvalidArgument("input ", i, ": expected `", TensorType(first->dtype(), shape),
                                "`, like the inputs before it, found `", call.inputs[i], "`"));
    }
    shape = *std::move(merged);
  }
  if (!shape.has_rank()) return OneOutput(TensorType(first->dtype(), {}));
  // C6: `ragged` is a bool. If it is True, a call on tensors is expanded.
  SIGNET_RETURN_IF_ERROR(WithConstraint("C6", call.attributes.Bool("ragged").status()));
  // C3: `axis` is one of the dimensions of the result.
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", shape.rank() + 1, "C3"));
  PartialShape count = {static_cast<int64_t>(call.inputs.size())};
  PartialShape out =
      shape.Slice(0, axis).Concatenate(count).Concatenate(shape.Slice(axis, shape.rank()));
  SIGNET_RETURN_IF_ERROR(CheckOutputSize(out));
  return OneOutput(TensorType(first->dtype(), std::move(out)));
}

StatusOr<std::vector<GraphValue>> ExpandStack(OpBuilder& build, const OpCall& call,
                                              std::span<const GraphValue> inputs) {
  if (inputs.empty())
    return WithConstraint("C1", InvalidArgument("expected at least one input, found none"));
  SIGNET_ASSIGN_OR_RETURN(int64_t axis, WithConstraint("C3", call.attributes.Int("axis")));
  SIGNET_ASSIGN_OR_RETURN(bool ragged, WithConstraint("C6", call.attributes.Bool("ragged")));
  return OneOutput(StackValues(build, inputs, axis, ragged));
}

}  // namespace

OpDef Stack() {
  return {
      .name = "stack",
      .summary = "Joins values along a new axis",
      .description =
          "Joins the values along a new dimension at `axis`: `concat` of values that have a "
          "dimension of size 1 there. With `ragged`, tensors may differ in their sizes.",
      .inputs = {"values..."},
      .attributes = {{"axis", AttributeOf(0)}, {"ragged", AttributeOf(false)}},
      .result = "A value of the dtype of the inputs with one more dimension.",
      .constraints =
          {"There is at least one input, and no input is missing.",
           "Tensors have the same dtype and the same shape, or the same rank with `ragged`.",
           "`axis` is one of the dimensions of the result.",
           "The inputs agree in all dimensions. Ragged dimensions may differ.",
           "Composite inputs are tensors, ragged values, and structures of the same rank. "
           "Structures have the same fields, of the same ranks.",
           "`ragged` is a bool."},
      .composites =
          "The rows of ragged values may differ, and so may the numbers of rows of structures "
          "whose fields are all ragged there. Sparse values are stacked with the largest sizes of "
          "all.",
      .infer = InferStack,
      .expand = ExpandStack,
      .expand_sparse = ExpandSparseStack,
      .by_leaf = ByLeaf::kAllInputs,
      .expand_tensors_if = "ragged",
  };
}

}  // namespace signet
