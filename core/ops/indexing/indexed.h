// Indexed: what gather_elements and scatter_elements check of their indices.

#pragma once

#include "core/ops/def/op_def.h"
#include "signet/tensor_spec.h"

namespace signet {

// Attribute `axis`, counted from 0 (0 where the rank of `x` is not known). C1 to C3 of both ops.
StatusOr<int> CheckIndexed(const OpCall& call, const TensorSpec& x, const TensorSpec& indices);

}  // namespace signet
