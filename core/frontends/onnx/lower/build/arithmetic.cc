#include "core/frontends/onnx/lower/build/arithmetic.h"

#include <utility>

#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/def/inference.h"

namespace signet {

DType Arithmetic::DTypeOf(const GraphValue& x) {
  const auto* tensor = x.spec ? x.spec.As<TensorSpec>() : nullptr;
  return tensor == nullptr ? DType::kFloat32 : tensor->dtype();
}

int Arithmetic::RankOf(const GraphValue& x) { return ok() ? Take(RankAt({&x, 1}, 0)) : 0; }

int64_t Arithmetic::KnownSize(const GraphValue& x, int axis) {
  const PartialShape* shape = x.spec ? x.spec.shape() : nullptr;
  bool has_axis = shape != nullptr && shape->has_rank() && axis >= 0 && axis < shape->rank();
  return has_axis ? shape->dim(axis) : kUnknownDim;
}

GraphValue Arithmetic::Number(double value, DType dtype) {
  return ok() ? Cast(build().Constant(Tensor::Scalar(value)), dtype) : GraphValue{};
}

GraphValue Arithmetic::AsFloat(const GraphValue& x) {
  return IsInteger(DTypeOf(x)) ? Cast(x, DType::kFloat64) : x;
}

GraphValue Arithmetic::AsWideFloat(const GraphValue& x) {
  bool half = DTypeOf(x) == DType::kFloat16 || DTypeOf(x) == DType::kBFloat16;
  return half ? Cast(x, DType::kFloat32) : AsFloat(x);
}

GraphValue Arithmetic::ReshapeLike(const GraphValue& x, const GraphValue& like) {
  std::vector<GraphValue> sizes;
  for (int axis = 0; axis < RankOf(like); ++axis) sizes.push_back(Size(like, axis));
  return ReshapeTo(x, sizes);
}

GraphValue Arithmetic::AsScalar(const GraphValue& x) {
  return RankOf(x) == 0 ? x : Reshape(x, std::span<const int64_t>());
}

GraphValue Arithmetic::WithOnesBehind(GraphValue x, int count) {
  for (int i = 0; i < count; ++i) x = (*this)("expand_dims", {x}, IntAttribute("axis", -1));
  return x;
}

GraphValue Arithmetic::Permute(const GraphValue& x, std::span<const int64_t> perm) {
  bool same = true;
  for (size_t i = 0; i < perm.size(); ++i) same = same && perm[i] == static_cast<int64_t>(i);
  return same ? x : (*this)("transpose", {x}, ListOf("perm", perm));
}

GraphValue Arithmetic::Reduce(std::string_view op, const GraphValue& x,
                              std::span<const int64_t> axes, bool keepdims) {
  return (*this)(op, {x},
                 Attributes({{"axes", AttributeOf(axes)}, {"keepdims", AttributeOf(keepdims)}}));
}

Attributes IntAttribute(std::string_view name, int64_t value) {
  return Attributes({{std::string(name), AttributeOf(value)}});
}

}  // namespace signet
