#include "server/stop_signals.h"

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <unistd.h>

#include <gtest/gtest.h>

namespace signet {
namespace {

constexpr std::chrono::hours kLong(1);
constexpr int kDrained = 7;

// Runs in a separate process. Sends `signals` to the process while it serves, each after the
// previous one is handled. Ends the process with kDrained if none of the signals ends it.
void ServeUntilStopped(std::chrono::milliseconds pause, std::initializer_list<int> signals) {
  static StopSignals stop(pause);
  stop.BeginServing();
  for (int signal : signals) {
    kill(getpid(), signal);
    const bool is_stopped = stop.WaitFor(kLong);
    if (signal == SIGHUP && !is_stopped && !stop.TakeHangup()) std::_Exit(EXIT_FAILURE);
    if (signal != SIGHUP && !is_stopped) std::_Exit(EXIT_FAILURE);
    // A signal is handled once it is no longer pending.
    for (sigset_t pending; sigpending(&pending) == 0 && sigismember(&pending, signal) == 1;) {
      usleep(1000);
    }
  }
  std::_Exit(kDrained);
}

// Never returns: the process ends by a signal, or by the time limit of the test.
void ServeForever(std::initializer_list<int> signals) {
  static StopSignals stop(std::chrono::milliseconds(0));
  stop.BeginServing();
  for (int signal : signals) {
    kill(getpid(), signal);
    if (!stop.WaitFor(kLong)) std::_Exit(EXIT_FAILURE);
  }
  while (true) pause();
}

// Each test starts a new process, because a fork of a process with threads could block.
class StopSignalsDeathTest : public testing::Test {
 protected:
  StopSignalsDeathTest() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

TEST_F(StopSignalsDeathTest, DrainsAfterOneSignal) {
  EXPECT_EXIT(ServeUntilStopped(std::chrono::milliseconds(0), {SIGTERM}),
              testing::ExitedWithCode(kDrained), "");
}

TEST_F(StopSignalsDeathTest, IgnoresSignalsThatFollowTheFirstAtOnce) {
  EXPECT_EXIT(ServeUntilStopped(kLong, {SIGTERM, SIGTERM, SIGINT, SIGHUP}),
              testing::ExitedWithCode(kDrained), "");
}

TEST_F(StopSignalsDeathTest, ReportsHangupsAndDoesNotStop) {
  EXPECT_EXIT(ServeUntilStopped(std::chrono::milliseconds(0), {SIGHUP, SIGHUP, SIGTERM, SIGHUP}),
              testing::ExitedWithCode(kDrained), "");
}

TEST_F(StopSignalsDeathTest, EndsAtASecondSignalAfterThePause) {
  EXPECT_EXIT(ServeForever({SIGTERM, SIGINT}), testing::ExitedWithCode(128 + SIGINT), "");
}

// Ends the process with the number of times that the action ran.
void RunActions() {
  static StopSignals stop;
  static std::atomic<int> runs = 0;
  kill(getpid(), SIGUSR1);  // has no action yet
  sigset_t pending;
  while (sigpending(&pending) == 0 && sigismember(&pending, SIGUSR1) == 1) usleep(1000);
  stop.OnSignal(SIGUSR1, [] { ++runs; });
  stop.BeginServing();
  for (int i = 1; i <= 3; ++i) {
    kill(getpid(), SIGUSR1);
    while (runs < i) usleep(1000);
  }
  kill(getpid(), SIGTERM);
  std::_Exit(stop.WaitFor(kLong) ? runs.load() : EXIT_FAILURE);
}

TEST_F(StopSignalsDeathTest, RunsActions) {
  EXPECT_EXIT(RunActions(), testing::ExitedWithCode(3), "");
}

TEST_F(StopSignalsDeathTest, EndsAtOnceBeforeServing) {
  EXPECT_EXIT(
      {
        static StopSignals stop;
        kill(getpid(), SIGTERM);
        stop.WaitFor(kLong);
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace signet
