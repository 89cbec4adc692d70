#include "core/ops/gather_rows.h"

#include "core/ops/inference.h"
#include "core/ops/outer_dimension.h"
#include "core/ops/parts.h"

namespace signet {
namespace {

// The rows of one level that are picked, and the row splits between levels.
struct Picked {
  std::vector<GraphValue> positions;  // of rows of dimension 0, 1, ...; int vectors
  std::vector<GraphValue> splits;     // new ones, one fewer
};

// Goes one partition further in.
Status PickInner(Expander& expander, const GraphValue& splits, Picked& picked) {
  const GraphValue inputs[] = {splits, picked.positions.back()};
  SIGNET_ASSIGN_OR_RETURN(auto outputs, expander.Call("gather_row_splits", inputs, {}));
  picked.splits.push_back(outputs[0]);
  picked.positions.push_back(outputs[1]);
  return absl::OkStatus();
}

StatusOr<GraphValue> Pick(Expander& expander, const GraphValue& tensor, const GraphValue& rows) {
  return expander.Call1("gather", {tensor, rows});
}

// The components that a field adds to its structure, with the rows that `outer` picked of the
// structure's dimensions.
Status PickOwn(Expander& expander, const TypeSpec& spec, int outer_rank, const Picked& outer,
               std::span<const GraphValue> own, std::vector<GraphValue>& out) {
  size_t next = 0;
  if (const auto* structured = spec.As<StructuredSpec>()) {
    Picked picked = outer;
    for (int i = outer_rank; i < structured->rank(); ++i) {
      SIGNET_RETURN_IF_ERROR(PickInner(expander, own[next++], picked));
      out.push_back(picked.splits.back());
    }
    for (const TypeSpec& field : structured->children()) {
      std::vector<ComponentSpec> parts;
      field.rep().AppendComponents("", structured->rank(), parts);
      SIGNET_RETURN_IF_ERROR(PickOwn(expander, field, structured->rank(), picked,
                                     own.subspan(next, parts.size()), out));
      next += parts.size();
    }
    return absl::OkStatus();
  }
  const auto* ragged = spec.As<RaggedSpec>();
  size_t partitions = ragged == nullptr ? 0 : static_cast<size_t>(ragged->ragged_rank());
  size_t shared = std::min(partitions, static_cast<size_t>(outer_rank - 1));
  Picked picked{
      {outer.positions.begin(), outer.positions.begin() + 1 + static_cast<std::ptrdiff_t>(shared)},
      {}};
  for (size_t i = 1; i < own.size(); ++i)
    SIGNET_RETURN_IF_ERROR(PickInner(expander, own[i], picked));
  SIGNET_ASSIGN_OR_RETURN(GraphValue values, Pick(expander, own[0], picked.positions.back()));
  out.push_back(std::move(values));
  out.insert(out.end(), picked.splits.begin(), picked.splits.end());
  return absl::OkStatus();
}

// Rows of `x`, a tensor, ragged or structured value of rank at least 1, at `rows`, a vector.
StatusOr<GraphValue> PickRows(Expander& expander, const GraphValue& x, const GraphValue& rows) {
  if (x.spec.is(TypeKind::kTensor)) return Pick(expander, x, rows);
  const PartialShape& picked_shape = rows.spec.As<TensorSpec>()->shape();
  int64_t count = picked_shape.has_rank() ? picked_shape.dim(0) : kUnknownDim;
  SIGNET_ASSIGN_OR_RETURN(TypeSpec spec, WithRows(x.spec, count));
  std::vector<GraphValue> components;
  std::vector<GraphValue> own;
  for (size_t i = 0; i < x.components.size(); ++i) own.push_back(ComponentOf(x, i));
  std::span<const GraphValue> rest(own);
  if (spec.is(TypeKind::kStructured)) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue nrows, DimSize(expander, rows, 0));
    components.push_back(std::move(nrows));
    rest = rest.subspan(1);
  }
  SIGNET_RETURN_IF_ERROR(PickOwn(expander, x.spec, 1, {{rows}, {}}, rest, components));
  return Joined(std::move(spec), components);
}

Status CheckRowsOf(const GraphValue& x) {
  const PartialShape* shape = x.spec.shape();
  bool fits = (x.spec.is(TypeKind::kTensor) || x.spec.is(TypeKind::kRagged) ||
               x.spec.is(TypeKind::kStructured)) &&
              (!shape->has_rank() || shape->rank() > 0);
  if (fits) return absl::OkStatus();
  return InvalidArgument("C1 input 0 is `", x.spec,
                         "`; takes a tensor, ragged or structured value with rows");
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
  if (indices.spec.is(TypeKind::kRagged)) {
    RaggedParts parts = RaggedPartsOf(indices);
    SIGNET_ASSIGN_OR_RETURN(GraphValue rows, ExpandGatherRows(expander, call, x, parts.values));
    for (size_t i = parts.splits.size(); i-- > 0;) {
      SIGNET_ASSIGN_OR_RETURN(rows, WithOuterSplits(expander, rows, parts.splits[i]));
    }
    return rows;
  }
  const auto* tensor = indices.spec.As<TensorSpec>();
  if (tensor == nullptr || !IsIndexDType(tensor->dtype())) {
    return InvalidArgument("C1 input 1 is `", indices.spec, "`; takes int32 or int64");
  }
  int rank = tensor->shape().has_rank() ? tensor->shape().rank() : -1;
  if (rank == 1) return PickRows(expander, x, indices);
  if (rank != 0) {
    return Unimplemented("`gather` of `", x.spec, "` by `", indices.spec,
                         "`; takes a scalar, a vector or ragged indices");
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue one, expander.Call1("expand_dims", {indices},
                                                         Attributes({{"axis", AttributeOf(0)}})));
  SIGNET_ASSIGN_OR_RETURN(GraphValue row, PickRows(expander, x, one));
  return WithoutOuter(expander, row);
}

}  // namespace signet
