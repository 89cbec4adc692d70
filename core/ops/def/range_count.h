// Range count: how many numbers there are from a start to before a limit.

#pragma once

#include "signet/status.h"

namespace signet {

// Refuses a step of 0, and more than kMaxOutputElements numbers. RangeCount(0, 5, 2) => 3.
StatusOr<int64_t> RangeCount(int64_t start, int64_t limit, int64_t step);
StatusOr<int64_t> RangeCount(double start, double limit, double step);

}  // namespace signet
