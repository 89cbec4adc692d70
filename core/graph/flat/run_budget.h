// RunBudget: how far one call may go: the steps of its loops, the memory that it holds, and the
// time that its kernels are estimated to need.
//
// Memory is that of intermediates and results, from when it is taken until it is given back;
// arguments, which the caller holds, and constants do not count. Whoever takes memory asks first.
// Time is unlimited, except for a short run: one that a thread with other things to do tries, and
// stops as soon as the run turns out to be expensive. Plain data; one thread.

#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "signet/status.h"
#include "signet/value.h"

namespace signet {

struct RunBudget {
  static constexpr int64_t kMaxSteps = 10'000'000;        // --max_loop_steps
  static constexpr int64_t kMaxBytes = int64_t{2} << 30;  // --max_call_bytes

  int64_t max_steps = kMaxSteps;  // each round takes one, and one for each node of the body
  int64_t max_bytes = kMaxBytes;  // held at once
  int64_t steps = 0;              // taken
  int64_t bytes = 0;              // held

  // Of a short run only.
  double max_nanoseconds = std::numeric_limits<double>::infinity();  // as kernels estimate them
  double nanoseconds = 0;                                            // taken
  bool* exceeded = nullptr;  // set when any limit is exceeded; null: not a short run
  std::chrono::steady_clock::time_point end = {};

  // Returns a budget for a short run: it has tight limits, and sets `*was_exceeded` when it fails.
  RunBudget ForShortRun(bool* was_exceeded) const;

  // RESOURCE_EXHAUSTED, with the flag.
  Status TakeSteps(int64_t more);
  // RESOURCE_EXHAUSTED if kernels that need `more` nanoseconds are too much for a short run.
  Status TakeNanoseconds(double more);
  // RESOURCE_EXHAUSTED in a short run that has taken too much time by the clock, for kernels that
  // check whether to go on. CheckShortRun is thread-safe; EndShortRun sets `*exceeded`.
  Status CheckShortRun() const;
  Status EndShortRun();
  Status TakeBytes(size_t more) {
    bool fits = more <= static_cast<size_t>(std::max<int64_t>(max_bytes - bytes, 0));
    if (!fits) [[unlikely]]
      return TooManyBytes(more);
    bytes += static_cast<int64_t>(more);
    return absl::OkStatus();
  }
  void GiveBytes(int64_t less) { bytes -= less; }
  // Of what was taken since `before` bytes were held, `results` stay; some may be older than that.
  void KeepOnly(int64_t before, int64_t results) {
    bytes = before + std::clamp<int64_t>(results, 0, std::max<int64_t>(bytes - before, 0));
  }

 private:
  Status TooManyBytes(size_t more) const;
};

int64_t BytesOf(const Components& tensors);

// `tensor` with memory of its own, which the budget then counts, should it be a view.
StatusOr<Tensor> OwnedWithin(RunBudget& budget, const Tensor& tensor);

}  // namespace signet
