#include "core/graph/flat/passes/channel_constants.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace signet {
namespace {

// Returns false if one operation on an element with `result`, which is x times y or their sum, may
// differ from two operations with x and y in more than rounding.
template <class T>
bool IsInRange(T x, T y, T result, Combine how) {
  const bool is_finite = std::isfinite(x) && std::isfinite(y);
  if (how != Combine::kMultiply) return !is_finite || std::isfinite(result);
  // A product with x may underflow to 0, and 0 times infinity is NaN.
  if (!is_finite) return false;
  return x == 0 || y == 0 || std::isnormal(result);
}

template <class T>
bool Apply(const Tensor& x, const Tensor& along, int64_t inner, Combine how, Tensor& out) {
  std::span<const T> factors = along.elements<T>();
  std::span<const T> from = x.elements<T>();
  T* to = out.mutable_elements<T>();
  // An empty sum is 0, and 0 times infinity is NaN.
  if (how == Combine::kMultiply &&
      !std::ranges::all_of(factors, [](T factor) { return std::isfinite(factor); })) {
    return false;
  }
  for (size_t i = 0; i < from.size(); ++i) {
    T y = factors[i / static_cast<size_t>(inner) % factors.size()];
    to[i] = how == Combine::kAdd        ? from[i] + y
            : how == Combine::kSubtract ? from[i] - y
                                        : from[i] * y;
    if (!IsInRange(from[i], y, to[i], how)) return false;
  }
  return true;
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

std::optional<Tensor> CombineAlong(const Tensor& x, const Tensor& along, int64_t inner,
                                   Combine how) {
  Tensor from = x;
  if (!x.has_value()) {
    from = AllocateTensor(along.dtype(), along.shape());
    std::memset(from.data().mutable_data(), 0, from.data().size());
  }
  Tensor out = AllocateTensor(from.dtype(), from.shape());
  const bool is_in_range = from.dtype() == DType::kFloat32
                               ? Apply<float>(from, along, inner, how, out)
                               : Apply<double>(from, along, inner, how, out);
  if (!is_in_range) return std::nullopt;
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

std::optional<double> BoundConstant(const Rewriter& rewriter, int edge) {
  auto bound = ScalarConstant(rewriter, edge);
  const bool is_float32 = bound && static_cast<double>(static_cast<float>(*bound)) == *bound;
  if (!is_float32 || (*bound == 0 && std::signbit(*bound))) return std::nullopt;
  return bound;
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
