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
  // Packs `matrix`, a non-empty float32 matrix. If `transposed` is true, the rows of `matrix` are
  // used as columns.
  static StatusOr<SmallMatrix> Make(const Tensor& matrix, bool transposed, Use use);

  int64_t k() const { return k_; }  // elements per input row
  int64_t n() const { return n_; }  // elements per result

  // Computes out[n] from x[k]: the dot products of x with each column, or its squared distances to
  // each column.
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
