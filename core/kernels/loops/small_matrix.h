// SmallMatrix: a constant float32 matrix, packed for products with one row at a time.
//
// With batch size 1, a model of tabular data multiplies a short row by a small matrix, where the
// overhead before the arithmetic dominates. Immutable; thread-safe.

#pragma once

#include <memory>

#include "core/kernels/def/kernel.h"
#include "core/kernels/simd/small_matrix.h"

namespace signet {

class SmallMatrix {
 public:
  enum class Use : uint8_t { kProducts, kDistances };
  // `matrix` is a non-empty float32 matrix. If `transposed` is true, its rows are the columns.
  static StatusOr<SmallMatrix> Make(const Tensor& matrix, bool transposed, Use use);

  int64_t k() const { return k_; }  // elements per input row
  int64_t n() const { return n_; }  // elements per result

  // Computes out[n] from x[k]: the products with each column, or the squared distances to it.
  void Run(const float* x, float* out) const {
    run_(x, reinterpret_cast<const float*>(packed_.data()), k_, n_, stride_, out);
  }

 private:
  RowByMatrix run_ = nullptr;
  int64_t k_ = 0;
  int64_t n_ = 0;
  int64_t stride_ = 0;
  Buffer packed_;
};

}  // namespace signet
