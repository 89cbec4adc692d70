// CountTrue: counts the true entries of a mask.

#pragma once

#include <algorithm>

#include "core/kernels/def/kernel.h"

namespace signet {

// Returns the number of true entries of `mask`.
inline StatusOr<int64_t> CountTrue(KernelContext& context, std::span<const bool> mask) {
  int64_t count = 0;
  SIGNET_RETURN_IF_ERROR(context.ForInOrder(std::ssize(mask), 0.2, [&](int64_t begin, int64_t end) {
    count += std::count(mask.begin() + begin, mask.begin() + end, true);
  }));
  return count;
}

}  // namespace signet
