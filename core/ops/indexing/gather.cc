// gather: selects slices by index along an axis.
//
//   gather(x, indices, axis=1)                x: [a, n, b], indices: [i, j]  =>  [a, i, j, b]
//   gather(x, indices, axis=1, batch_dims=1)  x: [a, n, b], indices: [a, i]  =>  [a, i, b]
// For ragged values and structures, see gather_rows.h.

#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/sparse/sparse_picks.h"
#include "core/ops/def/gather_axes.h"
#include "core/ops/def/inference.h"
#include "core/ops/indexing/gather_rows.h"
#include "core/ops/indexing/indexing_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferGather(const OpCall& call) {
  // C1: the inputs are tensors, and the indices are int32 or int64.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* indices, TensorInput(call, 1));
  if (!IsIndexDType(indices->dtype())) {
    return WithConstraint(
        "C1", InvalidArgument("input 1: expected int32 or int64, found `", call.inputs[1], "`"));
  }
  const PartialShape& shape = x->shape();
  const PartialShape& picked = indices->shape();
  // C2: `axis` is a dimension of the first input.
  if (shape.has_rank() && shape.rank() == 0) {
    return WithConstraint("C2", InvalidArgument("input 0: expected a rank of at least 1, found `",
                                                call.inputs[0], "`"));
  }
  if (!shape.has_rank() || !picked.has_rank()) return OneOutput(TensorType(x->dtype(), {}));
  SIGNET_ASSIGN_OR_RETURN(GatherRequest request, ReadGather(call.attributes));
  SIGNET_ASSIGN_OR_RETURN(GatherAxes axes, request.For(shape.rank(), picked.rank()));
  // C4: the first `batch_dims` dimensions of both inputs are equal, and they are before `axis`.
  int batch_dims = axes.batch_dims;
  auto batch = shape.Slice(0, batch_dims).MergeWith(picked.Slice(0, batch_dims));
  if (!batch.ok()) {
    return WithConstraint("C4", InvalidArgument("expected equal sizes in the first ", batch_dims,
                                                " dimensions, found `", call.inputs[0], "` and `",
                                                call.inputs[1], "`"));
  }
  PartialShape out = batch->Concatenate(shape.Slice(batch_dims, axes.axis))
                         .Concatenate(picked.Slice(batch_dims, picked.rank()))
                         .Concatenate(shape.Slice(axes.axis + 1, shape.rank()));
  SIGNET_RETURN_IF_ERROR(CheckOutputSize(out));
  return OneOutput(TensorType(x->dtype(), std::move(out)));
}

StatusOr<std::vector<GraphValue>> ExpandGather(OpBuilder& build, const OpCall& call,
                                               std::span<const GraphValue> inputs) {
  for (size_t i = 0; i < 2; ++i) {
    if (!inputs[i].spec) return TensorInput(call, i).status();
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue indices, TensorFor(build, inputs[1], DType::kInt64));
  GraphValue x = inputs[0];
  if (IsPlainLiteral(x)) {
    return WithConstraint("C1",
                          InvalidArgument("input 0: expected a tensor, found `", x.spec, "`"));
  }
  return OneOutput(ExpandGatherRows(build, call, x, indices));
}

StatusOr<std::vector<GraphValue>> ExpandStructGather(OpBuilder& build, const OpCall&,
                                                     std::span<const GraphValue> inputs) {
  return build.Gather(inputs[0], inputs[1]);
}

StatusOr<std::vector<GraphValue>> ExpandBatchGather(OpBuilder& build, const OpCall&,
                                                    std::span<const GraphValue> inputs) {
  // C1: the indices have a known rank, which is at least 1.
  const PartialShape* shape = inputs[1].spec ? inputs[1].spec.shape() : nullptr;
  if (shape == nullptr || !shape->has_rank() || shape->rank() == 0) {
    return WithConstraint(
        "C1",
        InvalidArgument("input 1: expected indices of known rank, which is at least 1, found `",
                        inputs[1].spec ? inputs[1].spec.ToString() : "None", "`"));
  }
  return build.Gather(inputs[0], inputs[1], {.batch_dims = shape->rank() - 1});
}

}  // namespace

StatusOr<GatherRequest> ReadGather(const Attributes& attributes) {
  GatherRequest request;
  SIGNET_ASSIGN_OR_RETURN(request.axis, WithConstraint("C2", attributes.OptionalInt("axis")));
  SIGNET_ASSIGN_OR_RETURN(request.batch_dims, WithConstraint("C4", attributes.Int("batch_dims")));
  return request;
}

StatusOr<GatherAxes> GatherRequest::For(int rank, int index_rank) const {
  int64_t batch = batch_dims < 0 ? batch_dims + index_rank : batch_dims;
  if (batch < 0 || batch > index_rank) {
    return WithConstraint(
        "C4", InvalidArgument("batch_dims: expected ", -index_rank, " to ", index_rank,
                              " for indices of rank ", index_rank, ", found ", batch_dims));
  }
  SIGNET_ASSIGN_OR_RETURN(int from,
                          WithConstraint("C2", NormalizeAxis(axis.value_or(batch), rank)));
  if (batch > from) {
    return WithConstraint(
        "C4", InvalidArgument("batch_dims: expected at most the axis, ", from, ", found ", batch));
  }
  return GatherAxes{from, static_cast<int>(batch)};
}

OpDef Gather() {
  return {
      .name = "gather",
      .summary = "Selects slices by index along an axis",
      .description =
          "Selects slices of x along `axis` by index. If `axis` is None, it is the first dimension "
          "after the shared ones. The first `batch_dims` dimensions of x and of the indices are "
          "shared: each batch of the indices selects from its own batch of x. A `batch_dims` below "
          "0 counts from the rank of the indices.",
      .inputs = {"x", "indices"},
      .attributes = {{"axis", NoneAttribute()}, {"batch_dims", AttributeOf(0)}},
      .result = "A value with the shape x[:axis] + indices[batch_dims:] + x[axis+1:].",
      .constraints = {"x is a tensor, a ragged value, a sparse value, or a structure. The indices "
                      "are int32 or int64.",
                      "`axis` is a dimension of x.",
                      "Each index is at least 0 and less than the size of the dimension, or than "
                      "the length of the row (OUT_OF_RANGE).",
                      "`batch_dims` is at most `axis` and at most the rank of the indices. The "
                      "first `batch_dims` dimensions of both inputs are equal."},
      .composites =
          "x and the indices may be ragged. On a structure, `axis` counts the dimensions of the "
          "structure, not those of its fields. On a sparse value, the indices are a tensor, and "
          "the axis is any dimension, or the first dimension after `batch_dims`.",
      .infer = InferGather,
      .expand = ExpandGather,
      .expand_sparse = ExpandSparseGather,
      .by_leaf = ByLeaf::kFirstInput,
      .literals_as_tensors = false,
  };
}

OpDef BatchGather() {
  return {
      .name = "batch_gather",
      .summary = "Selects from each row by its own indices",
      .description =
          "Calls `gather` with all dimensions of the indices except the last as shared dimensions: "
          "x[i][indices[i][j]].",
      .inputs = {"x", "indices"},
      .result = "A value with the shape of the indices, followed by the remaining dimensions of x.",
      .constraints = {"The indices have a known rank of at least 1."},
      .composites = "Accepts the same values as `gather`.",
      .expand = ExpandBatchGather,
      .own_dtypes = {"indices"},
  };
}

OpDef StructGather() {
  return {
      .name = "struct_gather",
      .summary = "Selects rows by index",
      .description = "Calls `gather` along axis 0.",
      .inputs = {"x", "indices"},
      .result = "The selected rows.",
      .composites = "Accepts the same values as `gather`.",
      .expand = ExpandStructGather,
      .literals_as_tensors = false,
  };
}

}  // namespace signet
