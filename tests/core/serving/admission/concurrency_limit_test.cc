#include "core/serving/admission/concurrency_limit.h"

#include <gtest/gtest.h>

namespace signet {
namespace {

using std::chrono::milliseconds;

// Records that calls start at an interval for a second, while `in_flight` calls wait or run. Each
// waits and runs for some time.
int64_t After(ConcurrencyLimit& limit, milliseconds interval, int64_t in_flight,
              milliseconds waited, milliseconds ran) {
  static ConcurrencyLimit::Clock::time_point now{std::chrono::seconds(1)};
  for (milliseconds time(0); time < std::chrono::seconds(1); time += interval) {
    now += interval;
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
  EXPECT_EQ(limit.target(), milliseconds(50));
  limit.OnFinish(milliseconds(4));
  EXPECT_EQ(limit.target(), milliseconds(128));
  ConcurrencyLimit slow(2, 1000);
  slow.OnFinish(std::chrono::hours(1));
  EXPECT_EQ(slow.target(), std::chrono::seconds(2));
}

// The threads start one call per millisecond, and the target is 64 milliseconds.
TEST(ConcurrencyLimitTest, IsTheNumberOfCallsThatStartWithinTheTarget) {
  for (int waited : {16, 100, 1000}) {
    ConcurrencyLimit limit(2, 1000);
    EXPECT_EQ(After(limit, milliseconds(1), 400, milliseconds(waited), milliseconds(2)), 64 + 2);
  }
}

TEST(ConcurrencyLimitTest, DoesNotFallWhileCallsWaitBriefly) {
  ConcurrencyLimit limit(2, 1000);
  EXPECT_EQ(After(limit, milliseconds(1), 400, milliseconds(15), milliseconds(2)), 1000);
}

// Other programs may delay calls that are very short. That is not an overload.
TEST(ConcurrencyLimitTest, DoesNotRejectAFewClientsWithShortCalls) {
  ConcurrencyLimit limit(2, 1000);
  EXPECT_GE(After(limit, milliseconds(1), 64, milliseconds(14), milliseconds(0)), 52);
}

TEST(ConcurrencyLimitTest, AllowsSomeCallsPerThread) {
  ConcurrencyLimit limit(2, 1000);
  EXPECT_EQ(After(limit, milliseconds(20), 400, milliseconds(100), milliseconds(1)), 8);
}

TEST(ConcurrencyLimitTest, IsLowerInAnOverloadUntilItEnds) {
  ConcurrencyLimit limit(2, 1000);
  ConcurrencyLimit::Clock::time_point now{std::chrono::seconds(1)};
  for (int i = 0; i < 400; ++i) {
    now += milliseconds(1);
    limit.OnRejection();
    limit.OnStart(milliseconds(100), now);
    limit.OnFinish(milliseconds(4));
  }
  EXPECT_EQ(limit.target(), milliseconds(16));
  EXPECT_EQ(limit.value(), 16 + 2);
  EXPECT_EQ(After(limit, milliseconds(1), 100, milliseconds(100), milliseconds(4)), 128 + 2);
}

TEST(ConcurrencyLimitTest, RisesWhenItIsReachedAndCallsWaitBriefly) {
  ConcurrencyLimit limit(2, 1000);
  After(limit, milliseconds(20), 400, milliseconds(100), milliseconds(1));
  EXPECT_GT(After(limit, milliseconds(5), 1000, milliseconds(0), milliseconds(1)), 100);
  EXPECT_EQ(After(limit, milliseconds(1), 1000, milliseconds(0), milliseconds(1)), 1000);
}

}  // namespace
}  // namespace signet
