#include "core/ops/indexing/gather_rows.h"

#include <algorithm>

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/def/gather_axes.h"
#include "core/ops/def/inference.h"

namespace signet {
namespace {

bool AreIndices(const TypeSpec& spec) {
  if (const auto* tensor = spec.As<TensorSpec>()) return IsIndexDType(tensor->dtype());
  const auto* ragged = spec.As<RaggedSpec>();
  return ragged != nullptr && IsIndexDType(ragged->dtype());
}

// Returns the indices as elements of the rows of the result. These are the dimensions of `x` before
// the axis, then the dimensions of the indices after the batch dimensions.
StatusOr<Opened> OpenIndices(OpBuilder& build, const Rows& x, const GraphValue& indices,
                             const GatherAxes& axes) {
  int rank = indices.spec.shape()->rank();
  int batch_dims = axes.batch_dims;
  SIGNET_ASSIGN_OR_RETURN(Opened opened,
                          OpenRows(build, indices, batch_dims == axes.axis ? rank : batch_dims));
  SIGNET_ASSIGN_OR_RETURN(Rows merged, MergeRows(build, x, opened.rows, batch_dims, "C4"));
  if (batch_dims == axes.axis) {
    std::copy(merged.dims.begin(), merged.dims.end(), opened.rows.dims.begin());
    return opened;
  }
  // The indices of a batch are repeated for each of its rows before the axis.
  SIGNET_ASSIGN_OR_RETURN(GraphValue batches, RowIdsOf(build, x, batch_dims - 1, axes.axis - 1));
  SIGNET_ASSIGN_OR_RETURN(GraphValue repeated, TakeRows(build, opened.elements, batches));
  SIGNET_ASSIGN_OR_RETURN(opened, OpenRows(build, repeated, rank - batch_dims + 1));
  merged.dims.insert(merged.dims.end(), x.dims.begin() + batch_dims, x.dims.begin() + axes.axis);
  merged.dims.insert(merged.dims.end(), opened.rows.dims.begin() + 1, opened.rows.dims.end());
  opened.rows = std::move(merged);
  return opened;
}

}  // namespace

Status CheckPicked(const GraphValue& x, const GraphValue& indices) {
  const PartialShape* shape = x.spec.shape();
  bool fits = (x.spec.is(TypeKind::kTensor) || x.spec.is(TypeKind::kRagged) ||
               x.spec.is(TypeKind::kStructured)) &&
              (!shape->has_rank() || shape->rank() > 0);
  if (!fits) {
    return WithConstraint(
        "C1", InvalidArgument(
                  "input 0: expected a tensor, a ragged value, or a structure with rows, found `",
                  x.spec, "`"));
  }
  if (!AreIndices(indices.spec)) {
    return WithConstraint("C1",
                          InvalidArgument("input 1: expected int32 or int64, found `",
                                          indices.spec ? indices.spec.ToString() : "None", "`"));
  }
  for (const GraphValue* value : {&x, &indices}) {
    if (value->spec.shape()->has_rank()) continue;
    return Unimplemented("expected values of known rank, found `", x.spec, "` and indices `",
                         indices.spec, "`");
  }
  return absl::OkStatus();
}

StatusOr<GraphValue> ExpandGatherRows(OpBuilder& build, const OpCall& call, const GraphValue& x,
                                      const GraphValue& indices) {
  if (x.spec.is(TypeKind::kTensor) && indices.spec.is(TypeKind::kTensor)) {
    return build.CallOne("gather", {x, indices}, call.attributes);
  }
  SIGNET_RETURN_IF_ERROR(CheckPicked(x, indices));
  SIGNET_ASSIGN_OR_RETURN(GatherRequest request, ReadGather(call.attributes));
  SIGNET_ASSIGN_OR_RETURN(GatherAxes axes,
                          request.For(x.spec.shape()->rank(), indices.spec.shape()->rank()));
  SIGNET_ASSIGN_OR_RETURN(Opened from, OpenRows(build, x, axes.axis + 1));
  SIGNET_ASSIGN_OR_RETURN(Opened picked, OpenIndices(build, from.rows, indices, axes));
  if (axes.axis > 0) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue splits, SplitsOf(build, from.rows, axes.axis));
    SIGNET_ASSIGN_OR_RETURN(GraphValue rows,
                            RowIdsOf(build, picked.rows, axes.axis - 1, picked.rows.depth() - 1));
    SIGNET_ASSIGN_OR_RETURN(picked.elements, build.RowElements(splits, rows, picked.elements));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue elements, TakeRows(build, from.elements, picked.elements));
  return CloseRows(build, picked.rows, elements);
}

}  // namespace signet
