#include "core/ops/build/sparse/sparse_parts.h"

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/def/inference.h"
#include "core/values/zero_scalar.h"
#include "signet/sparse_spec.h"

namespace signet {

StatusOr<SparseParts> SparsePartsOf(OpBuilder& build, const GraphValue& value,
                                    std::string_view op) {
  const auto* spec = value.spec ? value.spec.As<SparseSpec>() : nullptr;
  if (spec == nullptr || !spec->shape().has_rank()) {
    return Unimplemented("`", op, "`: expected a sparse value of known rank, found `",
                         value.spec ? value.spec.ToString() : "None", "`");
  }
  SparseParts parts{ComponentOf(value, 0), ComponentOf(value, 1), ComponentOf(value, 2),
                    spec->shape()};
  if (parts.shape.IsFullyDefined()) {
    parts.dense_shape = Int64Vector(build, parts.shape.dims());
  }
  return parts;
}

GraphValue MakeSparseValue(OpBuilder& build, const SparseParts& parts) {
  PartialShape shape = parts.shape;
  if (const Tensor* known = build.LookupConstant(parts.dense_shape.components[0])) {
    shape = KnownSizes(*known);
  }
  const GraphValue children[] = {parts.indices, parts.values, parts.dense_shape};
  return Joined(SparseType(parts.values.spec.As<TensorSpec>()->dtype(), std::move(shape)),
                children);
}

GraphValue Int64Vector(OpBuilder& build, std::span<const int64_t> elements) {
  return build.Constant(Tensor::Of<int64_t>({static_cast<int64_t>(elements.size())}, elements));
}

StatusOr<GraphValue> ZeroScalar(OpBuilder& build, DType dtype) {
  SIGNET_ASSIGN_OR_RETURN(Tensor blank, ZeroScalar(dtype));
  return build.Constant(blank);
}

StatusOr<GraphValue> SizeAt(OpBuilder& build, const SparseParts& parts, int axis) {
  return build.Gather(parts.dense_shape, Int64Constant(build, axis));
}

StatusOr<GraphValue> WithSizeAt(OpBuilder& build, const SparseParts& parts, int axis,
                                const GraphValue& size) {
  auto is_axis = Tensor::Allocate(DType::kBool, {parts.rank()});
  SIGNET_RETURN_IF_ERROR(is_axis.status());
  for (int i = 0; i < parts.rank(); ++i) is_axis->mutable_elements<bool>()[i] = i == axis;
  return build.Select(build.Constant(*is_axis), size, parts.dense_shape);
}

StatusOr<SparseParts> InOrder(OpBuilder& build, SparseParts parts) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue positions,
                          build.RavelIndices(parts.indices, parts.dense_shape));
  SIGNET_ASSIGN_OR_RETURN(auto sorted, build.Sort(positions));
  return EntriesAt(build, std::move(parts), sorted[1]);
}

StatusOr<SparseParts> Reshaped(OpBuilder& build, const SparseParts& parts,
                               const GraphValue& dense_shape, PartialShape shape) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue positions,
                          build.RavelIndices(parts.indices, parts.dense_shape));
  SIGNET_ASSIGN_OR_RETURN(GraphValue indices, build.UnravelIndices(positions, dense_shape));
  return SparseParts{indices, parts.values, dense_shape, std::move(shape)};
}

StatusOr<SparseParts> EntriesAt(OpBuilder& build, SparseParts parts, const GraphValue& positions) {
  SIGNET_ASSIGN_OR_RETURN(parts.indices, build.Gather(parts.indices, positions));
  SIGNET_ASSIGN_OR_RETURN(parts.values, build.Gather(parts.values, positions));
  return parts;
}

Status CheckThat(OpBuilder& build, const GraphValue& condition, std::string_view op,
                 const Status& error) {
  return CheckCondition(build, condition, At(Cat("`", op, "`"), WithConstraintOp(op, error)));
}

PartialShape KnownSizes(const Tensor& dense_shape) {
  auto sizes = dense_shape.elements<int64_t>();
  Dims dims(sizes.begin(), sizes.end());
  for (int64_t& dim : dims) {
    if (dim < 0) dim = kUnknownDim;
  }
  return PartialShape(std::span<const int64_t>(dims.data(), dims.size()));
}

}  // namespace signet
