// CheckIndexed: checks the indices of gather_elements and scatter_elements.

#pragma once

#include "core/ops/def/op_def.h"
#include "signet/tensor_spec.h"

namespace signet {

// Returns the attribute `axis`, counted from 0, or 0 if the rank of `x` is not known. Checks C1 to
// C3 of both ops.
StatusOr<int> CheckIndexed(const OpCall& call, const TensorSpec& x, const TensorSpec& indices);

}  // namespace signet
