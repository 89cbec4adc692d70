#include "core/graph/flat/passes/channel_constants.h"

#include <algorithm>
#include <cstring>

namespace signet {
namespace {

template <class T>
void Apply(const Tensor& x, const Tensor& along, int64_t inner, Combine how, Tensor& out) {
  std::span<const T> factors = along.elements<T>();
  std::span<const T> from = x.elements<T>();
  T* to = out.mutable_elements<T>();
  for (size_t i = 0; i < from.size(); ++i) {
    T y = factors[i / static_cast<size_t>(inner) % factors.size()];
    to[i] = how == Combine::kAdd        ? from[i] + y
            : how == Combine::kSubtract ? from[i] - y
                                        : from[i] * y;
  }
}

Tensor AllocateTensor(DType dtype, const Shape& shape) {
  auto tensor = Tensor::Allocate(dtype, shape);
  SIGNET_CHECK(tensor.ok());
  return *std::move(tensor);
}

}  // namespace

std::optional<Tensor> VectorAlongAxis(const Rewriter& rewriter, int edge, int rank, int axis,
                                      int64_t n) {
  auto tensor = rewriter.Constant(edge);
  if (!tensor || n < 1 || tensor->rank() > rank) return std::nullopt;
  if (tensor->dtype() != DType::kFloat32 && tensor->dtype() != DType::kFloat64) return std::nullopt;
  if (tensor->num_elements() == 1) {
    Tensor filled = AllocateTensor(tensor->dtype(), {n});
    size_t size = SizeOf(tensor->dtype());
    for (int64_t i = 0; i < n; ++i) {
      std::memcpy(filled.data().mutable_data() + static_cast<size_t>(i) * size,
                  tensor->data().data(), size);
    }
    return filled;
  }
  const int own_axis = axis - (rank - tensor->rank());  // of the constant
  if (own_axis < 0 || tensor->num_elements() != n || tensor->shape().dim(own_axis) != n)
    return std::nullopt;
  return tensor->Reshaped({n});
}

Tensor CombineAlong(const Tensor& x, const Tensor& along, int64_t inner, Combine how) {
  Tensor from = x;
  if (!x.has_value()) {
    from = AllocateTensor(along.dtype(), along.shape());
    std::memset(from.data().mutable_data(), 0, from.data().size());
  }
  Tensor out = AllocateTensor(from.dtype(), from.shape());
  if (from.dtype() == DType::kFloat32) {
    Apply<float>(from, along, inner, how, out);
  } else {
    Apply<double>(from, along, inner, how, out);
  }
  return out;
}

std::optional<Tensor> CombineConstants(const Tensor& a, const Tensor& b, Combine how) {
  const bool is_a_wider =
      a.rank() > b.rank() || (a.rank() == b.rank() && a.num_elements() >= b.num_elements());
  const Tensor& wide = is_a_wider ? a : b;
  const Tensor& other = is_a_wider ? b : a;
  if (a.dtype() != b.dtype()) return std::nullopt;
  if (a.dtype() != DType::kFloat32 && a.dtype() != DType::kFloat64) return std::nullopt;
  auto leading = static_cast<size_t>(wide.rank() - other.rank());
  auto dims = wide.shape().dims();
  bool is_same = std::ranges::all_of(dims.first(leading), [](int64_t dim) { return dim == 1; }) &&
                 std::ranges::equal(dims.subspan(leading), other.shape().dims());
  // The operands may have been swapped, so subtraction is not supported.
  if (how == Combine::kSubtract || !(is_same || other.num_elements() == 1)) return std::nullopt;
  return CombineAlong(wide, other.Reshaped({other.num_elements()}), 1, how);
}

std::optional<double> ScalarConstant(const Rewriter& rewriter, int edge) {
  auto tensor = rewriter.Constant(edge);
  if (!tensor || tensor->num_elements() != 1) return std::nullopt;
  rewriter.NoteRead(edge);
  if (tensor->dtype() == DType::kFloat32) return tensor->scalar<float>();
  if (tensor->dtype() == DType::kFloat64) return tensor->scalar<double>();
  return std::nullopt;
}

}  // namespace signet
