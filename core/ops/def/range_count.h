// RangeCount: returns how many numbers a range contains from its start to its limit (exclusive).

#pragma once

#include "signet/status.h"

namespace signet {

// Returns an error for a step of 0 and for more than kMaxOutputElements numbers. RangeCount(0, 5,
// 2) => 3.
StatusOr<int64_t> RangeCount(int64_t start, int64_t limit, int64_t step);
StatusOr<int64_t> RangeCount(double start, double limit, double step);

}  // namespace signet
