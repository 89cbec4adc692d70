#include "core/graph/flat/passes/channels.h"

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

Tensor Allocated(DType dtype, const Shape& shape) {
  auto made = Tensor::Allocate(dtype, shape);
  SIGNET_CHECK(made.ok());
  return *std::move(made);
}

}  // namespace

std::optional<Tensor> AlongAxis(const Rewriter& rewriter, int edge, int rank, int axis, int64_t n) {
  auto tensor = rewriter.Constant(edge);
  if (!tensor || n < 1 || tensor->rank() > rank) return std::nullopt;
  if (tensor->dtype() != DType::kFloat32 && tensor->dtype() != DType::kFloat64) return std::nullopt;
  if (tensor->num_elements() == 1) {
    Tensor filled = Allocated(tensor->dtype(), {n});
    size_t size = SizeOf(tensor->dtype());
    for (int64_t i = 0; i < n; ++i) {
      std::memcpy(filled.data().mutable_data() + static_cast<size_t>(i) * size,
                  tensor->data().data(), size);
    }
    return filled;
  }
  const int own = axis - (rank - tensor->rank());  // counted in the constant
  if (own < 0 || tensor->num_elements() != n || tensor->shape().dim(own) != n) return std::nullopt;
  return tensor->Reshaped({n});
}

Tensor Combined(const Tensor& x, const Tensor& along, int64_t inner, Combine how) {
  Tensor from = x;
  if (!x.has_value()) {
    from = Allocated(along.dtype(), along.shape());
    std::memset(from.data().mutable_data(), 0, from.data().size());
  }
  Tensor out = Allocated(from.dtype(), from.shape());
  if (from.dtype() == DType::kFloat32) {
    Apply<float>(from, along, inner, how, out);
  } else {
    Apply<double>(from, along, inner, how, out);
  }
  return out;
}

std::optional<Tensor> CombinedAlike(const Tensor& a, const Tensor& b, Combine how) {
  const bool is_a_wider =
      a.rank() > b.rank() || (a.rank() == b.rank() && a.num_elements() >= b.num_elements());
  const Tensor& wide = is_a_wider ? a : b;
  const Tensor& other = is_a_wider ? b : a;
  if (a.dtype() != b.dtype()) return std::nullopt;
  if (a.dtype() != DType::kFloat32 && a.dtype() != DType::kFloat64) return std::nullopt;
  auto in_front = static_cast<size_t>(wide.rank() - other.rank());
  auto dims = wide.shape().dims();
  bool is_same = std::ranges::all_of(dims.first(in_front), [](int64_t dim) { return dim == 1; }) &&
                 std::ranges::equal(dims.subspan(in_front), other.shape().dims());
  // The order of operands is that of addition and multiplication, which have none.
  if (how == Combine::kSubtract || !(is_same || other.num_elements() == 1)) return std::nullopt;
  return Combined(wide, other.Reshaped({other.num_elements()}), 1, how);
}

std::optional<double> Number(const Rewriter& rewriter, int edge) {
  auto tensor = rewriter.Constant(edge);
  if (!tensor || tensor->num_elements() != 1) return std::nullopt;
  if (tensor->dtype() == DType::kFloat32) return tensor->scalar<float>();
  if (tensor->dtype() == DType::kFloat64) return tensor->scalar<double>();
  return std::nullopt;
}

}  // namespace signet
