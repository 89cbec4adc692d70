// MeanOfNothing: the attribute `default` of a mean, which replaces the mean of no elements.
// Stateless.

#pragma once

#include "core/ops/def/op_def.h"
#include "core/values/tensor.h"

namespace signet {

// The attribute `default` of a mean, which replaces the mean of no elements, as a scalar of
// `dtype`. Returns a tensor without a value if the attribute is absent or None. Rejects what is not
// a number that `dtype` can hold.
StatusOr<Tensor> MeanOfNothing(const Attributes& attributes, DType dtype);

}  // namespace signet
