// Usage: what one caller uses now, which CallerLimits limits. Thread-safe, without locks.

#pragma once

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <memory>
#include <utility>

namespace signet {

class Usage {
 public:
  // Takes a call from the bucket of `rate` calls per second and `burst` calls at once. Returns 0,
  // or the nanoseconds after which a call is possible. `now` is a monotonic time in nanoseconds.
  int64_t Take(double rate, int32_t burst, int64_t now) {
    // The bucket is empty at `full_` - burst * interval, and full at `full_`.
    const auto interval = static_cast<int64_t>(std::ceil(1e9 / rate));
    int64_t full = full_.load(std::memory_order_relaxed);
    while (true) {
      const int64_t next = std::max(full, now) + interval;
      const int64_t wait = next - now - interval * burst;
      if (wait > 0) return wait;
      if (full_.compare_exchange_weak(full, next, std::memory_order_relaxed)) return 0;
    }
  }

  // Begins a call unless `limit` calls are in flight; 0: no limit. Returns whether it has begun.
  bool Begin(int32_t limit) {
    int32_t calls = in_flight_.fetch_add(1, std::memory_order_relaxed);
    if (limit == 0 || calls < limit) return true;
    End();
    return false;
  }
  void End() { in_flight_.fetch_sub(1, std::memory_order_relaxed); }

  int32_t in_flight() const { return in_flight_.load(std::memory_order_relaxed); }

 private:
  std::atomic<int64_t> full_{0};  // when the bucket will be full, in nanoseconds
  std::atomic<int32_t> in_flight_{0};
};

// A call of a caller, until the last copy is destroyed. Null for a caller without limits.
using CallSlot = std::shared_ptr<void>;

// Returns a slot that ends a call of `usage`, which has begun.
inline CallSlot MakeCallSlot(std::shared_ptr<Usage> usage) {
  Usage* used = usage.get();
  return CallSlot(used, [usage = std::move(usage)](void* /*used*/) { usage->End(); });
}

}  // namespace signet
