// PlainTensor: converts nested lists and tuples of plain values to a tensor.
//
//   [[1, 2], (3, 4)] for float32  =>  float32[2, 2] [[1.0, 2.0], [3.0, 4.0]]
//
// Uses only the type, in which literals have their values. The first element of each level
// determines the length of the others. The memory grows with the number of literals read. Numbers
// are converted by core/values/plain_numbers.h. Stateless; thread-safe.

#pragma once

#include "signet/value.h"

namespace signet {

// Reasons of errors: DTYPE_MISMATCH, NOT_CONVERTIBLE, NOT_RECTANGULAR, OUT_OF_RANGE. FieldOf the
// error is the element at fault: `[1][0]`.
StatusOr<Tensor> PlainTensor(const TypeSpec& nest, DType dtype);

}  // namespace signet
