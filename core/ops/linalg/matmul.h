// MatmulShape: the shape of a product of matrices, which matmul and its likes share.

#pragma once

#include "core/ops/def/op_def.h"

namespace signet {

// Of inputs 0 and 1 of `call`, tensors of rank 1 or more. C5: the dimensions summed over are equal.
// C6: the batch dimensions broadcast.
StatusOr<PartialShape> MatmulShape(const OpCall& call, bool transpose_a, bool transpose_b);

}  // namespace signet
