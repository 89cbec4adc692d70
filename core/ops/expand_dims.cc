// expand_dims: adds a dimension of size 1. The constraints are those of docs/ops.md.

#include "core/ops/all_ops.h"
#include "core/ops/inference.h"
#include "core/ops/parts.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferExpandDims(const OpCall& call) {
  // C1: the input is a tensor.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  const PartialShape& shape = x->shape();
  if (!shape.has_rank()) return OneOutput(TensorType(x->dtype(), {}));
  // C2: `axis` is one of the dimensions of the result.
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", shape.rank() + 1, "C2"));
  return OneOutput(TensorType(x->dtype(), shape.Slice(0, axis).Concatenate({1}).Concatenate(
                                              shape.Slice(axis, shape.rank()))));
}

StatusOr<std::vector<GraphValue>> ExpandExpandDims(Expander& expander, const OpCall& call,
                                                   std::span<const GraphValue> inputs) {
  const auto* ragged = inputs[0].spec.As<RaggedSpec>();
  if (ragged == nullptr || !ragged->shape().has_rank()) {
    return Unimplemented("`expand_dims` of `", inputs[0].spec, "`; takes a tensor or ragged value");
  }
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", ragged->shape().rank() + 1, "C2"));
  RaggedParts parts = RaggedPartsOf(inputs[0]);
  if (axis > ragged->ragged_rank()) {
    Attributes inner({{"axis", AttributeOf(axis - ragged->ragged_rank())}});
    SIGNET_ASSIGN_OR_RETURN(parts.values, expander.Call1("expand_dims", {parts.values}, inner));
  } else if (axis == 0 && ragged->splits_dtype() == DType::kInt64) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue length, expander.Call1("num_rows", {parts.splits[0]}));
    SIGNET_ASSIGN_OR_RETURN(
        GraphValue splits,
        expander.Call1("uniform_row_splits", {Int64Constant(expander, 1), length}));
    parts.splits.insert(parts.splits.begin(), splits);
  } else {
    return Unimplemented("`expand_dims` of `", inputs[0].spec, "` at axis ", axis,
                         "; takes 0 or an axis behind the ragged ones");
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue out, MakeRaggedValue(parts));
  return std::vector<GraphValue>{out};
}

}  // namespace

OpDef ExpandDims() {
  return {
      .name = "expand_dims",
      .summary = "Adds a dimension of size 1",
      .inputs = {"x"},
      .attributes = {{"axis"}},
      .infer = InferExpandDims,
      .expand = ExpandExpandDims,
      .aliasing = Aliasing::kView,
  };
}

}  // namespace signet
