// TensorBytes: what a tensor takes of the bytes of its elements, for those who do not make one yet.

#pragma once

#include <algorithm>

#include "signet/dtype.h"
#include "signet/shape.h"
#include "signet/status.h"

namespace signet {

// INVALID_ARGUMENT with both sizes unless `size` bytes are those of the shape; refuses what
// CheckShape refuses. Not for strings.
Status CheckTensorBytes(DType dtype, const Shape& shape, size_t size);

// Complex numbers align as their parts do.
inline size_t AlignmentOf(DType dtype) { return std::min<size_t>(SizeOf(dtype), 8); }

}  // namespace signet
