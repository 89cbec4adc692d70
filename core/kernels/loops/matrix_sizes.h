// MatrixSizes: the sizes of one matrix product: (m, k) by (k, n), in batches. Stateless;
// thread-safe.

#pragma once

#include <algorithm>

#include "core/base/constraint.h"
#include "signet/shape.h"
#include "signet/status.h"

namespace signet {

// Returns the dimensions before the last two.
inline Shape BatchOf(const Shape& shape) {
  return Shape(shape.dims().first(static_cast<size_t>(std::max(shape.rank() - 2, 0))));
}

struct MatrixSizes {
  int64_t m = 1;
  int64_t n = 1;
  int64_t k = 1;
  Shape batch_a;
  Shape batch_b;

  // Vectors are matrices of one row or column. Both operands have rank 1 or more, or 2 or more to
  // be transposed. C5: the summed dimensions have the same size.
  static StatusOr<MatrixSizes> Of(const Shape& a, const Shape& b, bool transpose_a = false,
                                  bool transpose_b = false) {
    MatrixSizes sizes;
    int p = a.rank();
    int q = b.rank();
    sizes.k = a.dim(p == 1 || !transpose_a ? p - 1 : p - 2);
    int64_t from_b = b.dim(q == 1 || transpose_b ? q - 1 : q - 2);
    if (sizes.k != from_b) {
      return WithConstraint(
          "C5",
          InvalidArgument(
              "inputs of shapes `", a, "` and `", b,
              "`: expected the same number of elements along the dimensions summed over, found ",
              sizes.k, " and ", from_b));
    }
    if (p > 1) sizes.m = a.dim(transpose_a ? p - 1 : p - 2);
    if (q > 1) sizes.n = b.dim(transpose_b ? q - 2 : q - 1);
    sizes.batch_a = BatchOf(a);
    sizes.batch_b = BatchOf(b);
    return sizes;
  }
};

}  // namespace signet
