#include "core/serving/admission/concurrency_limit.h"

#include <gtest/gtest.h>

namespace signet {
namespace {

using std::chrono::milliseconds;

// Records windows in which `in_flight` calls wait or run, and each waits and runs for some time.
int64_t After(ConcurrencyLimit& limit, int windows, int64_t in_flight, milliseconds waited,
              milliseconds ran) {
  static ConcurrencyLimit::Clock::time_point now{std::chrono::seconds(1)};
  for (int i = 0; i < windows * 50; ++i) {
    now += milliseconds(1);
    limit.OnArrival(in_flight);
    limit.OnStart(waited, now);
    limit.OnFinish(ran);
  }
  return limit.value();
}

TEST(ConcurrencyLimitTest, StartsAtTheMaximum) {
  EXPECT_EQ(ConcurrencyLimit(2, 1026).value(), 1026);
  EXPECT_EQ(ConcurrencyLimit(2, 1).value(), 8);
}

TEST(ConcurrencyLimitTest, TargetIsAMultipleOfTheRunTimeWithinBounds) {
  ConcurrencyLimit limit(2, 1000);
  EXPECT_EQ(limit.target(), milliseconds(10));
  limit.OnFinish(milliseconds(4));
  EXPECT_EQ(limit.target(), milliseconds(128));
  ConcurrencyLimit slow(2, 1000);
  slow.OnFinish(std::chrono::hours(1));
  EXPECT_EQ(slow.target(), std::chrono::seconds(2));
}

TEST(ConcurrencyLimitTest, FallsWhenCallsWaitTooLong) {
  ConcurrencyLimit limit(2, 1000);
  // Calls wait twice the target, so half of the calls in flight are right.
  EXPECT_NEAR(static_cast<double>(After(limit, 2, 400, milliseconds(64), milliseconds(1))), 200,
              100);
  EXPECT_EQ(After(limit, 100, 1000, milliseconds(1000), milliseconds(1)), 8);
}

TEST(ConcurrencyLimitTest, RisesWhenItIsReachedAndCallsWaitBriefly) {
  ConcurrencyLimit limit(2, 1000);
  After(limit, 100, 1000, milliseconds(1000), milliseconds(1));
  EXPECT_EQ(After(limit, 20, 2, milliseconds(0), milliseconds(1)), 8);  // it is not reached
  int64_t risen = After(limit, 2, 1000, milliseconds(0), milliseconds(1));
  EXPECT_GT(risen, 8);
  EXPECT_LT(risen, 20);
  EXPECT_EQ(After(limit, 100, 1000, milliseconds(0), milliseconds(1)), 1000);
}

}  // namespace
}  // namespace signet
