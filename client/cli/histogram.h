// Histogram: counts of latencies, from one microsecond to an hour, within 2 % of each.
//
// Thread-safe: adding is one atomic increment.

#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>

namespace signet {

class Histogram {
 public:
  void Add(std::chrono::nanoseconds latency);
  uint64_t count() const;
  // The latency that `fraction` of those added do not exceed, in milliseconds; 0 when there is
  // none.
  double Percentile(double fraction) const;

 private:
  static constexpr int kStepBits = 6;  // steps in each doubling: 64
  static constexpr int kDoublings = 32;

  std::array<std::atomic<uint64_t>, kDoublings << kStepBits> counts_ = {};
};

}  // namespace signet
