#include "core/formats/tensorflow/graph_tensor.h"

#include "core/formats/tensorflow/tensor_proto.h"

namespace signet {

StatusOr<Shape> ShapeFromGraph(const tensorflow::TensorShapeProto& shape, DType dtype) {
  if (shape.unknown_rank()) return InvalidArgument("expected a known rank");
  if (shape.dim_size() > kMaxTensorRank) {
    return InvalidArgument("rank ", shape.dim_size(), " exceeds the limit of ", kMaxTensorRank);
  }
  Shape out;
  for (const auto& dim : shape.dim()) {
    if (dim.size() < 0) return InvalidArgument("expected sizes of at least 0, found ", dim.size());
    out.push_back(dim.size());
  }
  const size_t size = dtype == DType::kString ? sizeof(int64_t) : SizeOf(dtype);
  SIGNET_RETURN_IF_ERROR(CheckShape(out.dims(), size));
  return out;
}

StatusOr<PartialShape> PartialShapeFromGraph(const tensorflow::TensorShapeProto& shape) {
  if (shape.unknown_rank()) return PartialShape();
  if (shape.dim_size() > kMaxTensorRank) {
    return InvalidArgument("rank ", shape.dim_size(), " exceeds the limit of ", kMaxTensorRank);
  }
  Dims dims;
  for (const auto& dim : shape.dim()) {
    if (dim.size() < kUnknownDim) {
      return InvalidArgument("expected sizes of at least -1, found ", dim.size());
    }
    dims.push_back(dim.size());
  }
  return PartialShape(std::span<const int64_t>(dims));
}

StatusOr<Tensor> TensorFromGraph(const tensorflow::TensorProto& proto) {
  Limits limits;
  limits.expanded_bytes = kMaxConstantBytes;
  Allowance allowance(limits);
  return tf::ConstantFromProto(proto, allowance);
}

}  // namespace signet
