#include "core/serving/environment/timer_thread.h"

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
using Clock = TimerThread::Clock;

// The thread waits without a time limit while it has no functions.
TEST(TimerThreadTest, CallsEachFunctionThatIsAddedWhileItIsIdle) {
  TimerThread timers;
  for (int i = 0; i < 5; ++i) {
    std::promise<void> called;
    auto expiry = timers.CallAt(Clock::now() + milliseconds(5), [&] { called.set_value(); });
    ASSERT_EQ(called.get_future().wait_for(seconds(60)), std::future_status::ready);
  }
}

TEST(TimerThreadTest, CallsAFunctionAfterAnotherOneWasForgotten) {
  TimerThread timers;
  for (int i = 0; i < 5; ++i) {
    timers.CallAt(Clock::now() + hours(1), [] {}).reset();
    std::promise<void> called;
    auto expiry = timers.CallAt(Clock::now() + milliseconds(5), [&] { called.set_value(); });
    ASSERT_EQ(called.get_future().wait_for(seconds(60)), std::future_status::ready);
  }
}

TEST(TimerThreadTest, CallsFunctionsInTheOrderOfTheirTimes) {
  TimerThread timers;
  std::string order;
  std::promise<void> called;
  const auto start = Clock::now();
  auto never = timers.CallAt(start + hours(1), [&] { order += "never"; });
  auto second = timers.CallAt(start + milliseconds(40), [&] {
    order += "b";
    called.set_value();
  });
  auto first = timers.CallAt(start + milliseconds(20), [&] { order += "a"; });
  called.get_future().wait();
  EXPECT_EQ(order, "ab");
}

TEST(TimerThreadTest, DropsFunctionsThatAreNoLongerNeeded) {
  auto object = std::make_shared<int>(1);
  std::weak_ptr<int> held = object;
  TimerThread timers;
  auto expiry = timers.CallAt(Clock::now() + hours(1), [object = std::move(object)] {});
  EXPECT_FALSE(held.expired());
  expiry.reset();
  EXPECT_TRUE(held.expired());
}

}  // namespace
}  // namespace signet
