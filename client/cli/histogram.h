// Histogram: counts latencies from one microsecond to an hour, with an error of at most 2 %.
//
// Thread-safe: Add is one atomic increment.

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
  // Returns the latency, in milliseconds, that `fraction` of the latencies do not exceed. Returns 0
  // if the histogram is empty.
  double Percentile(double fraction) const;

 private:
  static constexpr int kStepBits = 6;  // each doubling has 2^6 = 64 steps
  static constexpr int kDoublings = 32;

  std::array<std::atomic<uint64_t>, kDoublings << kStepBits> counts_ = {};
};

}  // namespace signet
