#include "core/serving/tensorflow/column_shapes.h"

#include <utility>

#include "signet/tensor_spec.h"

namespace signet::tf {

bool ColumnShapes::IsColumn(const TypeSpec& type) {
  if (!type || !type.is(TypeKind::kTensor) || !type.shape()->has_rank()) return false;
  const PartialShape& shape = *type.shape();
  if (shape.rank() < 2 || shape.dim(0) != kUnknownDim) return false;
  for (int axis = 1; axis < shape.rank(); ++axis) {
    if (shape.dim(axis) != 1) return false;
  }
  return true;
}

Tensor ColumnShapes::Fit(Tensor tensor, const TypeSpec& type) {
  if (!IsColumn(type) || PartialShape(tensor.shape()).IsSubtypeOf(*type.shape())) return tensor;
  Shape column{tensor.num_elements()};
  for (int axis = 1; axis < type.shape()->rank(); ++axis) column.push_back(1);
  if (!given_) {
    given_ = tensor.shape();
    column_ = column;
  }
  return tensor.Reshaped(std::move(column));
}

Tensor ColumnShapes::Restore(Tensor result) const {
  if (!given_ || result.shape() != column_) return result;
  return result.Reshaped(*given_);
}

}  // namespace signet::tf
