#include "core/serving/admission/concurrency_limit.h"

#include <algorithm>

namespace signet {
namespace {

constexpr double kTargetRuns = 32;
constexpr double kOverloadTargetRuns = 4;
constexpr double kOverloadRejections = 0.5;  // per call that starts
constexpr double kOlder = 0.75;              // the share that a window keeps when the next one ends
constexpr double kLeastTarget = 50e6;        // nanoseconds
constexpr double kLeastOverloadTarget = 10e6;  // nanoseconds
constexpr double kMostTarget = 2e9;
constexpr double kBusy = 0.25;  // of the target
constexpr double kGrowth = 1.25;
constexpr double kNearlyReached = 0.8;
constexpr double kNewest = 0.05;  // the share of the last call in the average

}  // namespace

ConcurrencyLimit::ConcurrencyLimit(int threads, int64_t most)
    : threads_(threads),
      least_(int64_t{4} * threads),
      most_(std::max(most, least_)),
      limit_(most_) {}

ConcurrencyLimit::Nanoseconds ConcurrencyLimit::target() const {
  const bool is_overload = IsOverload();
  const double runs = is_overload ? kOverloadTargetRuns : kTargetRuns;
  const double least = is_overload ? kLeastOverloadTarget : kLeastTarget;
  return Nanoseconds(static_cast<int64_t>(std::clamp(runs * run_ns_, least, kMostTarget)));
}

bool ConcurrencyLimit::IsOverload() const {
  return recent_rejections_ > kOverloadRejections * recent_starts_;
}

void ConcurrencyLimit::OnArrival(int64_t in_flight) { peak_ = std::max(peak_, in_flight); }

void ConcurrencyLimit::OnStart(Nanoseconds waited, Clock::time_point now) {
  if (samples_ == 0) window_start_ = now;
  ++samples_;
  waited_ns_ += static_cast<double>(waited.count());
  if (samples_ >= kSamples && now - window_start_ >= kWindow) EndWindow(now - window_start_);
}

void ConcurrencyLimit::OnFinish(Nanoseconds ran) {
  const auto ns = static_cast<double>(ran.count());
  run_ns_ = run_ns_ == 0 ? ns : run_ns_ + kNewest * (ns - run_ns_);
}

void ConcurrencyLimit::EndWindow(Nanoseconds length) {
  recent_starts_ = kOlder * recent_starts_ + static_cast<double>(samples_);
  recent_rejections_ = kOlder * recent_rejections_ + static_cast<double>(rejections_);
  const auto target_ns = static_cast<double>(target().count());
  if (waited_ns_ / static_cast<double>(samples_) >= kBusy * target_ns) {
    // The first sample begins the window.
    const double starts_per_ns =
        static_cast<double>(samples_ - 1) / static_cast<double>(length.count());
    limit_ = static_cast<int64_t>(starts_per_ns * target_ns) + threads_;
  } else if (static_cast<double>(peak_) >= kNearlyReached * static_cast<double>(limit_)) {
    limit_ = static_cast<int64_t>(static_cast<double>(limit_) * kGrowth) + 1;
  }
  limit_ = std::clamp(limit_, least_, most_);
  samples_ = 0;
  waited_ns_ = 0;
  rejections_ = 0;
  peak_ = 0;
}

}  // namespace signet
