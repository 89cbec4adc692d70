#include "server/call/deadline_watch.h"

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>

#include <gtest/gtest.h>

namespace signet {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using Clock = DeadlineWatch::Clock;

// The watch waits without a time limit while it has no functions.
TEST(DeadlineWatchTest, CallsEachFunctionThatIsAddedWhileItIsIdle) {
  DeadlineWatch watch;
  for (int i = 0; i < 5; ++i) {
    std::promise<void> called;
    auto expiry = watch.CallAt(Clock::now() + milliseconds(5), [&] { called.set_value(); });
    ASSERT_EQ(called.get_future().wait_for(seconds(60)), std::future_status::ready);
  }
}

TEST(DeadlineWatchTest, CallsAFunctionAfterAnotherOneWasForgotten) {
  DeadlineWatch watch;
  for (int i = 0; i < 5; ++i) {
    watch.CallAt(Clock::now() + hours(1), [] {}).reset();
    std::promise<void> called;
    auto expiry = watch.CallAt(Clock::now() + milliseconds(5), [&] { called.set_value(); });
    ASSERT_EQ(called.get_future().wait_for(seconds(60)), std::future_status::ready);
  }
}

TEST(DeadlineWatchTest, CallsFunctionsInTheOrderOfTheirTimes) {
  DeadlineWatch watch;
  std::string order;
  std::promise<void> called;
  const auto start = Clock::now();
  auto never = watch.CallAt(start + hours(1), [&] { order += "never"; });
  auto second = watch.CallAt(start + milliseconds(40), [&] {
    order += "b";
    called.set_value();
  });
  auto first = watch.CallAt(start + milliseconds(20), [&] { order += "a"; });
  called.get_future().wait();
  EXPECT_EQ(order, "ab");
}

TEST(DeadlineWatchTest, DropsFunctionsThatAreNoLongerNeeded) {
  auto object = std::make_shared<int>(1);
  std::weak_ptr<int> held = object;
  DeadlineWatch watch;
  auto expiry = watch.CallAt(Clock::now() + hours(1), [object = std::move(object)] {});
  EXPECT_FALSE(held.expired());
  expiry.reset();
  EXPECT_TRUE(held.expired());
}

}  // namespace
}  // namespace signet
