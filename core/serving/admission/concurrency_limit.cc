#include "core/serving/admission/concurrency_limit.h"

#include <algorithm>

namespace signet {
namespace {

constexpr double kTargetRuns = 32;
constexpr double kLeastTarget = 10e6;  // nanoseconds
constexpr double kMostTarget = 2e9;
constexpr double kLargestCut = 0.25;
constexpr double kLargestGrowth = 1.25;
constexpr double kNearlyReached = 0.8;
constexpr double kNewest = 0.05;  // the share of the last call in the average

}  // namespace

ConcurrencyLimit::ConcurrencyLimit(int threads, int64_t most)
    : least_(int64_t{4} * threads), most_(std::max(most, least_)), limit_(most_) {}

ConcurrencyLimit::Nanoseconds ConcurrencyLimit::target() const {
  return Nanoseconds(
      static_cast<int64_t>(std::clamp(kTargetRuns * run_ns_, kLeastTarget, kMostTarget)));
}

void ConcurrencyLimit::OnArrival(int64_t in_flight) { peak_ = std::max(peak_, in_flight); }

void ConcurrencyLimit::OnStart(Nanoseconds waited, Clock::time_point now) {
  if (samples_ == 0) window_start_ = now;
  ++samples_;
  waited_ns_ += static_cast<double>(waited.count());
  if (samples_ >= kSamples && now - window_start_ >= kWindow) EndWindow();
}

void ConcurrencyLimit::OnFinish(Nanoseconds ran) {
  const auto ns = static_cast<double>(ran.count());
  run_ns_ = run_ns_ == 0 ? ns : run_ns_ + kNewest * (ns - run_ns_);
}

void ConcurrencyLimit::EndWindow() {
  const double mean = std::max(waited_ns_ / static_cast<double>(samples_), 1.0);
  const double ratio = static_cast<double>(target().count()) / mean;
  const auto peak = static_cast<double>(std::min(peak_, limit_));
  if (ratio < 1) {
    limit_ = static_cast<int64_t>(peak * std::max(ratio, kLargestCut));
  } else if (peak >= kNearlyReached * static_cast<double>(limit_)) {
    limit_ =
        static_cast<int64_t>(static_cast<double>(limit_) * std::min(ratio, kLargestGrowth)) + 1;
  }
  limit_ = std::clamp(limit_, least_, most_);
  samples_ = 0;
  waited_ns_ = 0;
  peak_ = 0;
}

}  // namespace signet
