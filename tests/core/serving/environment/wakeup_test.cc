#include "core/serving/environment/wakeup.h"

#include <future>
#include <vector>

#include <gtest/gtest.h>

#include "tests/support/manual_timers.h"

namespace signet {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class WakeupTest : public testing::Test {
 protected:
  // Returns the seconds since the start at which the function was called.
  std::vector<int64_t> Calls() const { return calls_; }
  void Pass(int64_t to) { timers_.PassTo(start_ + seconds(to)); }
  void At(int64_t time) { wakeup_->At(start_ + seconds(time)); }

  ManualTimers timers_;
  const Timers::Clock::time_point start_ = timers_.Now();
  std::vector<int64_t> calls_;
  std::function<void()> then_ = [] {};
  std::unique_ptr<Wakeup> wakeup_ = std::make_unique<Wakeup>(timers_, [this] {
    calls_.push_back(std::chrono::duration_cast<seconds>(timers_.Now() - start_).count());
    then_();
  });
};

TEST_F(WakeupTest, CallsOnceAtTheEarliestTime) {
  At(5);
  At(3);
  At(8);
  Pass(10);
  EXPECT_EQ(Calls(), std::vector<int64_t>({3}));
  At(12);
  Pass(20);
  EXPECT_EQ(Calls(), std::vector<int64_t>({3, 12}));
}

TEST_F(WakeupTest, TheFunctionAsksForTheNextCall) {
  then_ = [this] {
    if (Calls().size() < 3) At(Calls().back() + 2);
  };
  At(1);
  Pass(100);
  EXPECT_EQ(Calls(), std::vector<int64_t>({1, 3, 5}));
}

TEST_F(WakeupTest, CallsNothingAfterItsEnd) {
  At(1);
  wakeup_.reset();
  Pass(10);
  EXPECT_TRUE(Calls().empty());
}

TEST_F(WakeupTest, ItsFunctionMayDestroyIt) {
  then_ = [this] { wakeup_.reset(); };
  At(1);
  Pass(10);
  EXPECT_EQ(Calls().size(), 1U);
}

TEST(WakeupOfTheSystemTest, Calls) {
  std::promise<void> called;
  Wakeup wakeup(SystemTimers(), [&] { called.set_value(); });
  wakeup.At(SystemTimers().Now() + milliseconds(2));
  called.get_future().wait();
}

}  // namespace
}  // namespace signet
