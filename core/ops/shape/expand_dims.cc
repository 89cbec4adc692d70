// expand_dims: adds a dimension of size 1.

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/build/sparse/sparse_structure.h"
#include "core/ops/def/inference.h"
#include "core/ops/shape/shape_ops.h"

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

StatusOr<std::vector<GraphValue>> ExpandExpandDims(OpBuilder& build, const OpCall& call,
                                                   std::span<const GraphValue> inputs) {
  const GraphValue& x = inputs[0];
  bool fits = x.spec && (x.spec.is(TypeKind::kRagged) || x.spec.is(TypeKind::kStructured)) &&
              x.spec.shape()->has_rank();
  if (!fits) {
    return Unimplemented(
        "`expand_dims`: expected a tensor, a ragged value, or a structure of known rank, found `",
        x.spec ? x.spec.ToString() : "None", "`");
  }
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", x.spec.shape()->rank() + 1, "C2"));
  GraphValue out;
  const auto* ragged = x.spec.As<RaggedSpec>();
  if (ragged != nullptr && axis > ragged->ragged_rank()) {
    RaggedParts parts = RaggedPartsOf(x);
    SIGNET_ASSIGN_OR_RETURN(parts.values,
                            build.ExpandDims(parts.values, {.axis = axis - ragged->ragged_rank()}));
    PartialShape like = ragged->shape().Slice(0, axis).Concatenate({1}).Concatenate(
        ragged->shape().Slice(axis, ragged->shape().rank()));
    SIGNET_ASSIGN_OR_RETURN(out, MakeRaggedValue(parts, like));
    return std::vector<GraphValue>{out};
  }
  SIGNET_ASSIGN_OR_RETURN(Opened opened, OpenRows(build, x, axis));
  // If no dimension was opened, the elements already have the new dimension.
  opened.rows.dims.push_back(UniformDim(build, 1));
  SIGNET_ASSIGN_OR_RETURN(out, CloseRows(build, opened.rows, opened.elements, x.spec));
  return std::vector<GraphValue>{out};
}

}  // namespace

OpDef ExpandDims() {
  return {
      .name = "expand_dims",
      .summary = "Adds a dimension of size 1",
      .description = "Adds a dimension of size 1 at `axis`. No element is copied.",
      .inputs = {"x"},
      .attributes = {{"axis"}},
      .result = "A value of the dtype of x with one more dimension.",
      .constraints = {"The input is a tensor, a ragged value, a sparse value, or a structure.",
                      "`axis` is one of the dimensions of the result."},
      .composites = "The axes of a structure are its own dimensions, before those of its fields.",
      .infer = InferExpandDims,
      .expand = ExpandExpandDims,
      .expand_sparse = ExpandSparseExpandDims,
      .aliasing = Aliasing::kView,
  };
}

}  // namespace signet
