// Stats: counts the calls of a server since it started. Thread-safe.

#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "signet/status.h"

namespace signet {

struct Stats {
  std::array<std::atomic<uint64_t>, 17> calls = {};  // finished calls, by status code
  std::atomic<uint64_t> queued_calls = 0;            // of these, calls that left the network thread
  std::atomic<uint64_t> explained = 0;               // finished Explain calls
  std::atomic<int64_t> in_flight = 0;                // calls without a complete response

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
