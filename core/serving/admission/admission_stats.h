// AdmissionStats: counts what happens to tasks before they run. Thread-safe.

#pragma once

#include <atomic>
#include <cstdint>

namespace signet {

struct AdmissionStats {
  // The current state.
  std::atomic<int64_t> queued_calls = 0;
  std::atomic<int64_t> queued_bytes = 0;
  std::atomic<int64_t> running = 0;
  std::atomic<int64_t> limit = 0;      // calls of high and normal priority that wait or run
  std::atomic<int64_t> low_limit = 0;  // calls of low priority that wait or run

  // Counts since the start.
  std::atomic<uint64_t> started = 0;
  std::atomic<uint64_t> waited_ns = 0;            // of tasks that have started
  std::atomic<uint64_t> rejected_queue_full = 0;  // reason QUEUE_FULL
  std::atomic<uint64_t> rejected_overloaded = 0;  // reason OVERLOADED
  std::atomic<uint64_t> displaced = 0;            // of these, tasks that made room for others
  std::atomic<uint64_t> expired = 0;              // deadlines that passed in the queue
  std::atomic<uint64_t> cancelled = 0;            // tasks that were cancelled in the queue
  std::atomic<uint64_t> wasted_ns = 0;  // time on compute threads of calls that ended unanswered
};

}  // namespace signet
