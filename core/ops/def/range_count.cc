#include "core/ops/def/range_count.h"

#include <algorithm>
#include <cmath>

#include "core/ops/def/inference.h"

namespace signet {
namespace {

template <class Number>
Status TooManyNumbers(Number start, Number limit, Number step) {
  return ResourceExhausted("range from ", start, " to ", limit, " by ", step,
                           " exceeds the limit of ", kMaxOutputElements, " elements");
}

}  // namespace

StatusOr<int64_t> RangeCount(int64_t start, int64_t limit, int64_t step) {
  if (step == 0) return InvalidArgument("step: expected a number other than 0, found 0");
  if (step > 0 ? start >= limit : start <= limit) return 0;
  // The distance is unsigned, because it may not fit into int64.
  uint64_t distance = step > 0 ? static_cast<uint64_t>(limit) - static_cast<uint64_t>(start)
                               : static_cast<uint64_t>(start) - static_cast<uint64_t>(limit);
  uint64_t stride =
      step > 0 ? static_cast<uint64_t>(step) : uint64_t{0} - static_cast<uint64_t>(step);
  uint64_t count = distance / stride + (distance % stride != 0 ? 1 : 0);
  if (count > static_cast<uint64_t>(kMaxOutputElements)) return TooManyNumbers(start, limit, step);
  return static_cast<int64_t>(count);
}

StatusOr<int64_t> RangeCount(double start, double limit, double step) {
  if (step == 0) return InvalidArgument("step: expected a number other than 0, found 0");
  double count = std::ceil((limit - start) / step);
  if (std::isnan(count))
    return InvalidArgument("expected finite numbers, found a range from ", start, " to ", limit,
                           " by ", step);
  if (count > static_cast<double>(kMaxOutputElements)) return TooManyNumbers(start, limit, step);
  return static_cast<int64_t>(std::max(count, 0.0));
}

}  // namespace signet
