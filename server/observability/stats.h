// Stats: what the server has done since it started. Counters only grow but for `in_flight`;
// thread-safe.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "signet/status.h"

namespace signet {

struct Stats {
  std::array<std::atomic<uint64_t>, 17> calls = {};  // answered, by status code
  std::atomic<uint64_t> queued_calls = 0;            // of those, run on a compute thread
  std::atomic<uint64_t> explained = 0;               // calls, by Explain
  std::atomic<int64_t> in_flight = 0;                // received, not yet wholly answered

  uint64_t answered() const {
    uint64_t sum = 0;
    for (const auto& count : calls) sum += count.load(std::memory_order_relaxed);
    return sum;
  }

  void CountCall(absl::StatusCode code) {
    auto i = static_cast<size_t>(code);
    calls[i < calls.size() ? i : 2].fetch_add(1, std::memory_order_relaxed);  // 2: UNKNOWN
  }
};

}  // namespace signet
