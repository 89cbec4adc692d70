// concat: joins values along one axis.

#include "core/ops/build/op_builder.h"
#include "core/ops/build/rows/joins.h"
#include "core/ops/build/sparse/sparse_structure.h"
#include "core/ops/def/inference.h"
#include "core/ops/shape/shape_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferConcat(const OpCall& call) {
  // C1: at least one input, and all of them are tensors.
  if (call.inputs.empty())
    return WithConstraint("C1", InvalidArgument("expected at least one input, found none"));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* first, TensorInput(call, 0));
  PartialShape shape = first->shape();
  for (size_t i = 1; i < call.inputs.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* input, TensorInput(call, i));
    // C2: the inputs have the same dtype and the same rank, which is at least 1.
    bool same_rank =
        !shape.has_rank() || !input->shape().has_rank() || input->shape().rank() == shape.rank();
    if (input->dtype() != first->dtype() || !same_rank) {
      return WithConstraint(
          "C2", InvalidArgument("input ", i, ": expected the dtype and rank of input 0, `",
                                call.inputs[0], "`, found `", call.inputs[i], "`"));
    }
    if (!shape.has_rank()) shape = input->shape();
  }
  if (!shape.has_rank()) return OneOutput(TensorType(first->dtype(), {}));
  if (shape.rank() == 0) {
    return WithConstraint("C2", InvalidArgument("input 0: expected a rank of at least 1, found `",
                                                call.inputs[0], "`"));
  }
  // C6: `ragged` is a bool. If it is True, a call on tensors is expanded.
  SIGNET_RETURN_IF_ERROR(WithConstraint("C6", call.attributes.Bool("ragged").status()));
  // C3: `axis` is one of the dimensions.
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", shape.rank(), "C3"));
  int64_t length = 0;
  shape = shape.WithDim(axis, kUnknownDim);
  for (size_t i = 0; i < call.inputs.size(); ++i) {
    const PartialShape& input = call.inputs[i].As<TensorSpec>()->shape();
    if (!input.has_rank()) {
      length = kUnknownDim;
      continue;
    }
    int64_t dim = input.dim(axis);
    length = dim == kUnknownDim || length == kUnknownDim ? kUnknownDim : length + dim;
    // C4: the inputs agree in all other dimensions.
    auto merged = shape.MergeWith(input.WithDim(axis, kUnknownDim));
    if (!merged.ok()) {
      return WithConstraint("C4", InvalidArgument("input ", i, ": expected dimensions `", shape,
                                                  "`, of any size along axis ", axis, ", found `",
                                                  call.inputs[i], "`"));
    }
    shape = *std::move(merged);
  }
  shape = shape.WithDim(axis, length);
  SIGNET_RETURN_IF_ERROR(CheckOutputSize(shape));
  return OneOutput(TensorType(first->dtype(), std::move(shape)));
}

StatusOr<std::vector<GraphValue>> ExpandConcat(OpBuilder& build, const OpCall& call,
                                               std::span<const GraphValue> inputs) {
  if (inputs.empty())
    return WithConstraint("C1", InvalidArgument("expected at least one input, found none"));
  SIGNET_ASSIGN_OR_RETURN(int64_t axis, WithConstraint("C3", call.attributes.Int("axis")));
  SIGNET_ASSIGN_OR_RETURN(bool ragged, WithConstraint("C6", call.attributes.Bool("ragged")));
  return OneOutput(ConcatValues(build, inputs, axis, ragged));
}

}  // namespace

OpDef Concat() {
  return {
      .name = "concat",
      .summary = "Joins values along one axis",
      .description =
          "Joins the values one after the other along `axis`. With `ragged`, tensors may differ in "
          "the dimensions after the axis; they become ragged from dimension 1 to the last "
          "dimension whose sizes differ or are not known to be equal. Along the last dimension, no "
          "other size can differ, and the result is a tensor.",
      .inputs = {"values..."},
      .attributes = {{"axis", AttributeOf(0)}, {"ragged", AttributeOf(false)}},
      .result = "A value of the dtype and rank of the inputs.",
      .constraints =
          {"There is at least one input, and no input is missing.",
           "All inputs have the same dtype and the same rank, which is at least 1.",
           "`axis` is one of the dimensions.",
           "The inputs agree in all other dimensions. Ragged dimensions after the axis may differ.",
           "Composite inputs are tensors, ragged values, and structures of the same rank. "
           "Structures have the same fields, of the same ranks.",
           "`ragged` is a bool."},
      .composites =
          "Tensors next to ragged values become ragged. Structures are joined row by row, field by "
          "field, and the axes are those of the structure. Sparse values are joined with sparse "
          "values.",
      .infer = InferConcat,
      .expand = ExpandConcat,
      .expand_sparse = ExpandSparseConcat,
      .by_leaf = ByLeaf::kAllInputs,
      .expand_tensors_if = "ragged",
  };
}

}  // namespace signet
