#include "server/observability/scrape/saturation.h"

#include <chrono>
#include <ctime>
#include <thread>

#include <gtest/gtest.h>

#include "core/runtime/processors.h"

namespace signet {
namespace {

using Clock = std::chrono::steady_clock;

double ThreadSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

TEST(SaturationTest, CountsTheTimeInWhichThreadsRun) {
  constexpr double kWork = 0.05;  // seconds
  const Clock::time_point begin = Clock::now();
  SaturationMeter meter;
  double read = 0;
  std::thread worker([&] {
    const double end = ThreadSeconds() + kWork;
    while (ThreadSeconds() < end) {
    }
    read = meter.Read();  // while this thread exists
  });
  worker.join();
  const std::chrono::duration<double> elapsed = Clock::now() - begin;
  // The kernel may not have counted the current slice of the thread.
  EXPECT_GE(read * elapsed.count() * AvailableProcessors(), 0.8 * kWork);
}

TEST(SaturationTest, DoesNotCountThreadsThatSleep) {
  SaturationMeter meter;
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_GE(meter.Read(), 0);
  EXPECT_LT(meter.Read(), 0.9);
}

}  // namespace
}  // namespace signet
