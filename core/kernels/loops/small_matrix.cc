#include "core/kernels/loops/small_matrix.h"

#include <cstring>

#include "core/kernels/def/request.h"

namespace signet {
namespace {

constexpr int64_t kFewColumns = 16;
// Columns of at least this many elements are multiplied column by column.
constexpr int64_t kLongDot = 12;

}  // namespace

StatusOr<SmallMatrix> SmallMatrix::Make(const Tensor& matrix, bool transposed, Use use) {
  const SmallMatrixTable& table = SIGNET_ACTIVE_TABLE(SmallMatrixTable);
  SmallMatrix made;
  made.k_ = matrix.shape().dim(transposed ? 1 : 0);
  made.n_ = matrix.shape().dim(transposed ? 0 : 1);
  const bool dots =
      use == Use::kProducts && made.n_ <= kFewColumns && made.k_ >= kLongDot * made.n_;
  made.run_ = dots ? table.dots : use == Use::kProducts ? table.products : table.distances;
  const int64_t rows = dots ? made.n_ : made.k_;
  const int64_t width = dots ? made.k_ : made.n_;
  made.stride_ = (width + kSmallMatrixLanes - 1) / kSmallMatrixLanes * kSmallMatrixLanes;
  const auto size = static_cast<size_t>(rows * made.stride_) * sizeof(float);
  SIGNET_ASSIGN_OR_RETURN(made.packed_, Buffer::Allocate(size));
  std::memset(made.packed_.mutable_data(), 0, size);
  auto* to = reinterpret_cast<float*>(made.packed_.mutable_data());
  auto from = matrix.elements<float>();
  for (int64_t i = 0; i < made.k_; ++i) {
    for (int64_t j = 0; j < made.n_; ++j) {
      float number = from[static_cast<size_t>(transposed ? j * made.k_ + i : i * made.n_ + j)];
      to[dots ? j * made.stride_ + i : i * made.stride_ + j] = number;
    }
  }
  return made;
}

}  // namespace signet
