// SmallMatrix: a float32 matrix that is known when a kernel is made, packed for one row at a time.
//
// At batch 1 a model of tabular data multiplies a row of some numbers by a matrix of some dozens:
// what comes before the arithmetic decides. Immutable; thread-safe.

#pragma once

#include <memory>

#include "core/kernels/isa/small_matrix.h"
#include "core/kernels/kernel.h"

namespace signet {

class SmallMatrix {
 public:
  // `matrix` is float32 of rank 2, and not empty; `transposed`: its rows are the columns.
  static StatusOr<SmallMatrix> Make(const Tensor& matrix, bool transposed);

  int64_t k() const { return k_; }  // elements of a row that meets it
  int64_t n() const { return n_; }  // elements of what comes of it

  // out[n]: the products with each column, or the squared distances to it.
  void Multiply(const float* x, float* out) const;
  void Distances(const float* x, float* out) const;

 private:
  const float* numbers() const { return reinterpret_cast<const float*>(packed_.data()); }

  const SmallMatrixTable* table_ = nullptr;
  int64_t k_ = 0;
  int64_t n_ = 0;
  int64_t stride_ = 0;
  bool by_column_ = false;  // the packed rows are the columns: there are few of them
  Buffer packed_;
};

// A kernel of matmul or linear for a small matrix that is known, and few rows; `otherwise` runs
// where that does not fit.
StatusOr<std::unique_ptr<Kernel>> ForFewRows(const KernelRequest& request,
                                             std::unique_ptr<Kernel> otherwise);

}  // namespace signet
