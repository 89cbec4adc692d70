// TensorBytes: checks the size and alignment of the bytes of a tensor before the tensor exists.

#pragma once

#include <algorithm>

#include "signet/dtype.h"
#include "signet/shape.h"
#include "signet/status.h"

namespace signet {

// Checks that `size` bytes are the elements of `shape`; the INVALID_ARGUMENT error states both
// sizes. Also returns the errors of CheckShape. Not for strings.
Status CheckTensorBytes(DType dtype, const Shape& shape, size_t size);

// Returns the alignment in bytes. Complex numbers have the alignment of their parts.
inline size_t AlignmentOf(DType dtype) { return std::min<size_t>(SizeOf(dtype), 8); }

}  // namespace signet
