// MatmulShape: returns the shape of a product of matrices, for matmul, matmul_integer, and linear.

#pragma once

#include "core/ops/def/op_def.h"

namespace signet {

// Inputs 0 and 1 of `call` are tensors of rank 1 or more. C5: the dimensions that are summed over
// are equal. C6: the batch dimensions broadcast.
StatusOr<PartialShape> MatmulShape(const OpCall& call, bool transpose_a, bool transpose_b);

}  // namespace signet
