// DefaultForEmpty: the attribute `default` of a reduction, which replaces the result for no
// elements. Stateless.

#pragma once

#include "core/ops/def/op_def.h"
#include "signet/tensor.h"

namespace signet {

// Returns true if the reduction `op` has the attribute `default`: if it computes a mean, a maximum,
// or a minimum, whose results for no elements (NaN, or an extreme number) are rarely useful.
bool HasDefaultForEmpty(std::string_view op);

// Returns the attribute `default` of a reduction as a scalar of `dtype`. Returns a tensor without a
// value if the attribute is absent or None. Rejects a value that is not a number that `dtype` can
// hold.
StatusOr<Tensor> DefaultForEmpty(const Attributes& attributes, DType dtype);

}  // namespace signet
