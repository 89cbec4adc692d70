// Plain tensor: nested lists and tuples of plain values, as a tensor of a wanted dtype.
//
//   [[1, 2], (3, 4)] for float32  =>  float32[2, 2] [[1.0, 2.0], [3.0, 4.0]]
//
// Works on the type alone, where literals have their values. The first element of each level says
// how long the others must be; memory grows with the literals met. Numbers convert by
// core/values/plain_numbers.h. Stateless; thread-safe.

#pragma once

#include "signet/value.h"

namespace signet {

// Reasons: DTYPE_MISMATCH, NOT_CONVERTIBLE, NOT_RECTANGULAR, OUT_OF_RANGE; FieldOf the refusal is
// the element at fault: `[1][0]`.
StatusOr<Tensor> PlainTensor(const TypeSpec& nest, DType dtype);

}  // namespace signet
