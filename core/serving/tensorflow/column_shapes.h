// ColumnShapes: lets parameters that are columns, such as `float32[?, 1]`, accept tensors of any
// shape, and gives the results their shapes.
//
//   x: float32[?, 1]   float32[3] [1, 2, 5]   =>   [[1], [2], [5]]
//   result [[2.5], [3], [4.5]]                =>   float32[3] [2.5, 3, 4.5]
//
// TensorFlow does not compare the shapes of arguments with a signature, and clients send a vector
// to a function whose signature has a column. A column is a type whose dimensions after the first
// one, which is unknown, are all 1, so that every tensor has one meaning as a column. Not
// thread-safe.

#pragma once

#include <optional>

#include "signet/tensor.h"
#include "signet/type_spec.h"

namespace signet::tf {

class ColumnShapes {
 public:
  static bool IsColumn(const TypeSpec& type);

  // Returns `tensor` as a column if `type` is one and the shape of the tensor does not fit it.
  // Stores the shape of the first such tensor.
  Tensor Fit(Tensor tensor, const TypeSpec& type);
  // Returns a result that has the shape of the column with the stored shape.
  Tensor Restore(Tensor result) const;

 private:
  std::optional<Shape> given_;
  Shape column_;
};

}  // namespace signet::tf
