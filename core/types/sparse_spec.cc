#include "signet/sparse_spec.h"

#include "core/types/identifier.h"
#include "signet/tensor_spec.h"

namespace signet {

TypeSpec SparseType(DType dtype, PartialShape shape) {
  return Intern(SparseSpec(dtype, std::move(shape)));
}

StatusOr<TypeSpec> SparseSpec::Rebuild(PartialShape shape, std::vector<TypeSpec>) const {
  return SparseType(dtype_, std::move(shape));
}

void SparseSpec::AppendComponents(std::string_view path, int,
                                  std::vector<ComponentSpec>& out) const {
  int64_t rank = shape().has_rank() ? shape().rank() : kUnknownDim;
  out.push_back({JoinPath(path, "indices"), TensorType(DType::kInt64, {kUnknownDim, rank})});
  out.push_back({JoinPath(path, "values"), TensorType(dtype_, {kUnknownDim})});
  out.push_back({JoinPath(path, "dense_shape"), TensorType(DType::kInt64, {rank})});
}

void SparseSpec::AppendTo(std::string& out) const {
  out.append("sparse ").append(NameOf(dtype_)).append(shape().ToString());
}

}  // namespace signet
