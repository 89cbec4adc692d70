#include "core/ops/def/range_count.h"

#include <algorithm>
#include <cmath>

#include "core/ops/def/inference.h"

namespace signet {
namespace {

template <class Number>
Status TooMany(Number start, Number limit, Number step) {
  return ResourceExhausted("range from ", start, " to ", limit, " by ", step, "; the limit is ",
                           kMaxOutputElements, " elements");
}

}  // namespace

StatusOr<int64_t> RangeCount(int64_t start, int64_t limit, int64_t step) {
  if (step == 0) return InvalidArgument("step is 0; takes any but 0");
  if (step > 0 ? start >= limit : start <= limit) return 0;
  // As unsigned: the distance between two int64 may be no int64.
  uint64_t distance = step > 0 ? static_cast<uint64_t>(limit) - static_cast<uint64_t>(start)
                               : static_cast<uint64_t>(start) - static_cast<uint64_t>(limit);
  uint64_t stride =
      step > 0 ? static_cast<uint64_t>(step) : uint64_t{0} - static_cast<uint64_t>(step);
  uint64_t count = distance / stride + (distance % stride != 0 ? 1 : 0);
  if (count > static_cast<uint64_t>(kMaxOutputElements)) return TooMany(start, limit, step);
  return static_cast<int64_t>(count);
}

StatusOr<int64_t> RangeCount(double start, double limit, double step) {
  if (step == 0) return InvalidArgument("step is 0; takes any but 0");
  double count = std::ceil((limit - start) / step);
  if (std::isnan(count))
    return InvalidArgument("range from ", start, " to ", limit, " by ", step,
                           "; takes finite numbers");
  if (count > static_cast<double>(kMaxOutputElements)) return TooMany(start, limit, step);
  return static_cast<int64_t>(std::max(count, 0.0));
}

}  // namespace signet
