#include "core/ops/gather_rows.h"

#include "core/ops/inference.h"
#include "core/ops/parts.h"
#include "core/ops/rows.h"

namespace signet {
namespace {

Status CheckRowsOf(const GraphValue& x) {
  const PartialShape* shape = x.spec.shape();
  bool fits = (x.spec.is(TypeKind::kTensor) || x.spec.is(TypeKind::kRagged) ||
               x.spec.is(TypeKind::kStructured)) &&
              (!shape->has_rank() || shape->rank() > 0);
  if (fits) return absl::OkStatus();
  return InvalidArgument("C1 input 0 is `", x.spec,
                         "`; takes a tensor, ragged or structured value with rows");
}

bool AreIndices(const TypeSpec& spec) {
  if (const auto* tensor = spec.As<TensorSpec>()) return IsIndexDType(tensor->dtype());
  const auto* ragged = spec.As<RaggedSpec>();
  return ragged != nullptr && IsIndexDType(ragged->dtype());
}

}  // namespace

StatusOr<GraphValue> ExpandGatherRows(Expander& expander, const OpCall& call, const GraphValue& x,
                                      const GraphValue& indices) {
  SIGNET_RETURN_IF_ERROR(CheckRowsOf(x));
  SIGNET_ASSIGN_OR_RETURN(int64_t axis, Labelled("C2", call.attributes.Int("axis")));
  bool tensors = x.spec.is(TypeKind::kTensor) && indices.spec.is(TypeKind::kTensor);
  if (tensors) return expander.Call1("gather", {x, indices}, call.attributes);
  if (axis != 0 && axis != -x.spec.shape()->rank()) {
    return Unimplemented("`gather` of `", x.spec, "` by `", indices.spec, "` along axis ", axis,
                         "; takes axis 0");
  }
  if (!AreIndices(indices.spec)) {
    return InvalidArgument("C1 input 1 is `", indices.spec, "`; takes int32 or int64");
  }
  int rank = indices.spec.shape()->has_rank() ? indices.spec.shape()->rank() : 0;
  SIGNET_ASSIGN_OR_RETURN(Opened picked, OpenRows(expander, indices, rank));
  SIGNET_ASSIGN_OR_RETURN(GraphValue rows, TakeRows(expander, x, picked.elements));
  return CloseRows(expander, picked.rows, rows);
}

}  // namespace signet
