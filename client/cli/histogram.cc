#include "client/cli/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace signet {

// The bucket of n microseconds is n below 64. Above, each doubling has 64 buckets: doubling d
// contains [64 * 2^(d - 1), 64 * 2^d).
void Histogram::Add(std::chrono::nanoseconds latency) {
  auto microseconds = static_cast<uint64_t>(std::max<int64_t>(latency.count() / 1000, 0));
  auto doubling =
      static_cast<size_t>(std::max(static_cast<int>(std::bit_width(microseconds)) - kStepBits, 0));
  size_t shift = doubling > 0 ? doubling - 1 : 0;
  size_t step = static_cast<size_t>(microseconds >> shift);
  size_t bucket = doubling > 0 ? (doubling << kStepBits) + (step - (1u << kStepBits)) : step;
  counts_[std::min(bucket, counts_.size() - 1)].fetch_add(1, std::memory_order_relaxed);
}

uint64_t Histogram::count() const {
  uint64_t sum = 0;
  for (const auto& count : counts_) sum += count.load(std::memory_order_relaxed);
  return sum;
}

double Histogram::Percentile(double fraction) const {
  uint64_t total = count();
  if (total == 0) return 0;
  auto wanted = static_cast<uint64_t>(std::ceil(fraction * static_cast<double>(total)));
  uint64_t seen = 0;
  for (size_t bucket = 0; bucket < counts_.size(); ++bucket) {
    seen += counts_[bucket].load(std::memory_order_relaxed);
    if (seen < std::max<uint64_t>(wanted, 1)) continue;
    size_t doubling = bucket >> kStepBits;
    size_t step = bucket & ((1u << kStepBits) - 1);
    double microseconds = doubling == 0
                              ? static_cast<double>(step)
                              : std::ldexp(static_cast<double>(step + (1u << kStepBits)) + 0.5,
                                           static_cast<int>(doubling) - 1);
    return microseconds / 1000;
  }
  return 0;
}

}  // namespace signet
