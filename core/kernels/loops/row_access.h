// RowAccess: checks indices and row splits before kernels use them to access memory.

#pragma once

#include "core/kernels/def/stop_poll.h"
#include "core/values/row_algebra.h"

namespace signet {

// Checks that each index is in [0, size). The OUT_OF_RANGE error states the position of the first
// one that is not.
Status CheckIndices(KernelContext& context, const Tensor& indices, int64_t size);

// Checks that `splits` is a non-empty vector that starts at 0 and never decreases (C1), and that it
// ends at `num_values` unless that is negative (C3). All ops on row splits use these labels.
Status CheckSplits(KernelContext& context, const Tensor& splits, int64_t num_values = -1);

// Does the same for kernels that use few of many rows: CheckSplitsShape checks that `splits` is a
// non-empty vector, and CheckSomeRows checks that rows [first, first + count), which must exist,
// start at 0 or later and never decrease.
Status CheckSplitsShape(const Tensor& splits);
Status CheckSomeRows(KernelContext& context, const Tensor& splits, int64_t first, int64_t count);

// Returns input `i`, a size or a position, which is an `int64[]`, with label C1.
StatusOr<int64_t> SizeInput(const KernelContext& context, size_t i);

// Returns input `i`, a count called `name`: one integer of at least 0, with label C4.
StatusOr<int64_t> CountInput(const KernelContext& context, std::string_view name, size_t i);

inline int64_t NumRows(const Tensor& splits) { return splits.num_elements() - 1; }

// Returns entry `i` of an index tensor.
inline int64_t IntAt(const Tensor& tensor, int64_t i) {
  auto at = static_cast<size_t>(i);
  return tensor.dtype() == DType::kInt32 ? tensor.elements<int32_t>()[at]
                                         : tensor.elements<int64_t>()[at];
}

}  // namespace signet
