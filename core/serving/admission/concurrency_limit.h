// ConcurrencyLimit: limits the number of calls that wait or run, so that accepted calls do not wait
// long.
//
// The limit follows the measured times. The target of the waiting time is a multiple of the average
// time of a call on a thread: 32 times, and at least 50 milliseconds, so that clients that start
// together are not rejected. In an overload, when a long queue would only delay the calls that are
// accepted, it is 4 times, and at least 10 milliseconds. It is at most 2 seconds. An overload is a
// time in which more than half as many calls are rejected as start. The rules, for each window:
//   1. If calls waited for a quarter of the target or longer on average, the threads were busy. The
//      limit becomes the number of calls that they start within the target, plus the calls that
//      run.
//   2. If calls waited less, and the limit was nearly reached, the limit grows by 1/4.
//   3. The limit is never less than 4 calls per thread, and never more than the maximum.
// The run time is measured apart from the waiting time, so that no probing is necessary to find the
// latency without load. Rule 1 uses the rate of starts, because the waiting time of a call that
// starts now was decided when it arrived, so that corrections by it would come too late. Time comes
// from the caller. Not thread-safe.

#pragma once

#include <chrono>
#include <cstdint>

namespace signet {

class ConcurrencyLimit {
 public:
  using Clock = std::chrono::steady_clock;
  using Nanoseconds = std::chrono::nanoseconds;

  static constexpr Nanoseconds kWindow = std::chrono::milliseconds(50);
  static constexpr int kSamples = 8;  // the minimum in a window

  // The limit starts at `most`.
  ConcurrencyLimit(int threads, int64_t most);

  int64_t value() const { return limit_; }
  // Returns the waiting time that the limit aims at.
  Nanoseconds target() const;

  // Records that a call has arrived when `in_flight` calls wait or run, including the call.
  void OnArrival(int64_t in_flight);
  // Records that a call is rejected.
  void OnRejection() { ++rejections_; }
  // Records that a call starts after it has waited.
  void OnStart(Nanoseconds waited, Clock::time_point now);
  // Records that a call has occupied a thread.
  void OnFinish(Nanoseconds ran);

 private:
  void EndWindow(Nanoseconds length);
  bool IsOverload() const;

  const int threads_;
  const int64_t least_;
  const int64_t most_;
  int64_t limit_;
  double run_ns_ = 0;  // moving average

  Clock::time_point window_start_{};
  int64_t samples_ = 0;
  double waited_ns_ = 0;  // sum of the window
  int64_t rejections_ = 0;
  int64_t peak_ = 0;  // the most calls in flight

  double recent_starts_ = 0;  // of the last windows, which count less the older they are
  double recent_rejections_ = 0;
};

}  // namespace signet
