// MeasuredCost: whether the runs of a plan take long, learned from the runs, by classes of calls.
//
//   const size_t call_class = MeasuredCost::ClassOf(arguments);
//   if (cost.IsLong(call_class)) ...         // such calls do not begin on a thread for short work
//   cost.Record(call_class, time_of_the_run);
//
// The estimated cost of a plan is not known if sizes follow from values. The rules:
//   1. Calls are of one class if each argument has about the same number of elements, and each
//      integer of a small argument has about the same size: powers of two separate classes. Other
//      calls may be in the same class by chance.
//   2. Each class has a moving average of the times of its runs, in which a run counts at most
//      kMostRun, so that a run that the system interrupted does not decide alone. It begins at 0.
//   3. A class becomes long when the average exceeds kLong, and short again when the average is
//      below kShort.
// Thread-safe, without locks. Runs that end at the same time may count as one.

#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>

#include "signet/value.h"

namespace signet {

class MeasuredCost {
 public:
  using Nanoseconds = std::chrono::nanoseconds;

  static constexpr Nanoseconds kLong = std::chrono::microseconds(200);
  static constexpr Nanoseconds kShort = std::chrono::microseconds(100);
  static constexpr Nanoseconds kMostRun = std::chrono::milliseconds(1);
  static constexpr size_t kClasses = 64;

  static size_t ClassOf(std::span<const Value> arguments);

  bool IsLong(size_t call_class) const {
    return (classes_[call_class].load(std::memory_order_relaxed) & kIsLong) != 0;
  }
  // Records a run. For a run that was stopped because it took too long, pass kMostRun.
  void Record(size_t call_class, Nanoseconds ran);

 private:
  static constexpr uint32_t kIsLong = 1;

  // Twice the average in nanoseconds, plus kIsLong.
  std::array<std::atomic<uint32_t>, kClasses> classes_ = {};
};

}  // namespace signet
