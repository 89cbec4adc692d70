// SmallMatrix: a float32 matrix that is known when a kernel is made, packed for one row at a time.
//
// At batch 1 a model of tabular data multiplies a row of some numbers by a matrix of some dozens:
// what comes before the arithmetic decides. Immutable; thread-safe.

#pragma once

#include <memory>

#include "core/kernels/def/kernel.h"
#include "core/kernels/simd/small_matrix.h"

namespace signet {

class SmallMatrix {
 public:
  enum class Use : uint8_t { kProducts, kDistances };
  // `matrix` is float32 of rank 2, and not empty; `transposed`: its rows are the columns.
  static StatusOr<SmallMatrix> Make(const Tensor& matrix, bool transposed, Use use);

  int64_t k() const { return k_; }  // elements of a row that meets it
  int64_t n() const { return n_; }  // elements of what comes of it

  // out[n] of x[k]: the products with each column, or the squared distances to it.
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
