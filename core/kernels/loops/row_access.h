// Row access: what kernels that follow indices and row splits check before they touch memory.

#pragma once

#include "core/kernels/def/stop_poll.h"
#include "core/values/row_algebra.h"

namespace signet {

// Whether each index is in [0, size); OUT_OF_RANGE with the position of the first that is not.
Status CheckIndices(KernelContext& context, const Tensor& indices, int64_t size);

// Whether `splits` is a vector with an entry at least, starts at 0, never decreases (C1), and ends
// at `num_values`, unless that is below 0 (C3). The labels are those of all ops on row splits.
Status CheckSplits(KernelContext& context, const Tensor& splits, int64_t num_values = -1);

// The same for kernels that look at few of many rows: `splits` is a vector with an entry at least;
// and its rows [first, first + count), which are there, begin at 0 or behind and never decrease.
Status CheckSplitsShape(const Tensor& splits);
Status CheckSomeRows(KernelContext& context, const Tensor& splits, int64_t first, int64_t count);

// Input `i`, a size or a position: an `int64[]`, under label C1.
StatusOr<int64_t> SizeInput(const KernelContext& context, size_t i);

inline int64_t NumRows(const Tensor& splits) { return splits.num_elements() - 1; }

// Entry `i` of an index tensor.
inline int64_t IntAt(const Tensor& tensor, int64_t i) {
  auto at = static_cast<size_t>(i);
  return tensor.dtype() == DType::kInt32 ? tensor.elements<int32_t>()[at]
                                         : tensor.elements<int64_t>()[at];
}

}  // namespace signet
