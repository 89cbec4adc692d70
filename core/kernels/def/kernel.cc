#include "core/kernels/def/kernel.h"

#include <algorithm>

namespace signet {
namespace {

// Returns how many units of `cost` nanoseconds run between two checks.
int64_t UnitsPerCheck(double cost, int64_t interval) {
  const double units = static_cast<double>(interval) / std::max(cost, 1e-3);
  return std::max<int64_t>(1, static_cast<int64_t>(units));
}

}  // namespace

Status KernelContext::For(int64_t count, double cost,
                          absl::FunctionRef<void(int64_t begin, int64_t end)> body) {
  if (cost * static_cast<double>(count) <= static_cast<double>(stop_interval_)) {
    parallel().For(count, cost, body);
  } else {
    const int64_t step = UnitsPerCheck(cost, stop_interval_);
    parallel().For(count, cost, [&](int64_t begin, int64_t end) {
      for (; begin < end; begin += step) {
        if (stopped() || !CheckStop().ok()) return;
        body(begin, std::min(end, begin + step));
      }
    });
  }
  return stopped() ? CheckStop() : absl::OkStatus();
}

Status KernelContext::ForInOrder(int64_t count, double cost,
                                 absl::FunctionRef<void(int64_t begin, int64_t end)> body) {
  if (count <= 0) return absl::OkStatus();
  if (cost * static_cast<double>(count) <= static_cast<double>(stop_interval_)) {
    body(0, count);
    return absl::OkStatus();
  }
  const int64_t step = UnitsPerCheck(cost, stop_interval_);
  for (int64_t begin = 0; begin < count; begin += step) {
    SIGNET_RETURN_IF_ERROR(CheckStop());
    body(begin, std::min(count, begin + step));
  }
  return absl::OkStatus();
}

}  // namespace signet
