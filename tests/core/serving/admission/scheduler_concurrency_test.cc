// Runs under the thread sanitizer.

#include <future>
#include <random>

#include <gtest/gtest.h>

#include "core/runtime/thread_pool.h"
#include "core/serving/admission/scheduler.h"
#include "signet/cat.h"

namespace signet {
namespace {

using std::chrono::milliseconds;

struct Threads {
  explicit Threads(CallQueues::Options options)
      : scheduler(
            options, SystemTimers(), [this](auto task) { pool.Schedule(std::move(task)); },
            [this](auto task) { low_pool.Schedule(std::move(task)); }),
        low_pool(options.threads),
        pool(options.threads) {}
  Scheduler scheduler;
  ThreadPool low_pool;
  ThreadPool pool;
};

// Occupies the only thread until it is released.
class Occupant {
 public:
  explicit Occupant(Scheduler& scheduler) {
    std::promise<void> started;
    Task task{.model = "occupant",
              .run =
                  [&started, release = release_.get_future().share()] {
                    started.set_value();
                    release.wait();
                  },
              .reject = [](const Status&) { FAIL(); }};
    EXPECT_TRUE(scheduler.Submit(task).ok());
    started.get_future().wait();
  }
  void Release() { release_.set_value(); }

 private:
  std::promise<void> release_;
};

TEST(SchedulerTest, AnswersAtTheDeadlineWhileAllThreadsAreBusy) {
  Threads threads({.threads = 1});
  Occupant occupant(threads.scheduler);
  std::promise<Status> answer;
  Task task{.model = "m",
            .deadline = std::chrono::steady_clock::now() + milliseconds(20),
            .run = [] { FAIL() << "an expired task ran"; },
            .reject = [&](const Status& status) { answer.set_value(status); }};
  ASSERT_TRUE(threads.scheduler.Submit(task).ok());
  EXPECT_EQ(answer.get_future().get().code(), absl::StatusCode::kDeadlineExceeded);
  occupant.Release();
}

TEST(SchedulerTest, CancelsWhileAllThreadsAreBusy) {
  Threads threads({.threads = 1});
  Occupant occupant(threads.scheduler);
  std::atomic<bool> cancelled = false;
  std::promise<Status> answer;
  Task task{.model = "m",
            .cancelled = &cancelled,
            .run = [] { FAIL() << "a cancelled task ran"; },
            .reject = [&](const Status& status) { answer.set_value(status); }};
  ASSERT_TRUE(threads.scheduler.Submit(task).ok());
  cancelled = true;
  threads.scheduler.Cancel(&cancelled);
  EXPECT_EQ(threads.scheduler.queued(), 0u);
  EXPECT_EQ(answer.get_future().get().code(), absl::StatusCode::kCancelled);
  occupant.Release();
}

TEST(SchedulerTest, LowPriorityRunsWhileNormalThreadsAreBusy) {
  Threads threads({.threads = 1});
  Occupant occupant(threads.scheduler);
  std::promise<void> ran;
  Task task{.model = "m", .priority = Priority::kLow, .run = [&] { ran.set_value(); }};
  ASSERT_TRUE(threads.scheduler.Submit(task).ok());
  ran.get_future().wait();
  occupant.Release();
}

TEST(SchedulerTest, PrioritiesAndModelsDecideWhereACallRuns) {
  Threads threads({.threads = 1});
  Scheduler& scheduler = threads.scheduler;
  EXPECT_EQ(scheduler.PriorityOfCall("m", Priority::kHigh), Priority::kNormal);
  EXPECT_EQ(scheduler.PriorityOfCall("m", Priority::kLow), Priority::kLow);
  EXPECT_EQ(scheduler.PriorityOfCall("m", {}), Priority::kNormal);
  EXPECT_TRUE(scheduler.MayRunAtOnce("m", Priority::kNormal));
  EXPECT_FALSE(scheduler.MayRunAtOnce("m", Priority::kLow));
  v1::ModelSettings settings;
  settings.mutable_scheduling()->set_priority(v1::Scheduling::HIGH);
  settings.mutable_scheduling()->set_max_concurrent_calls(1);
  scheduler.Configure("m", settings);
  EXPECT_EQ(scheduler.PriorityOfCall("m", Priority::kNormal), Priority::kNormal);
  EXPECT_EQ(scheduler.PriorityOfCall("m", {}), Priority::kHigh);
  EXPECT_FALSE(scheduler.MayRunAtOnce("m", Priority::kHigh));
  EXPECT_TRUE(scheduler.MayRunAtOnce("other", Priority::kNormal));
}

// Every task that is accepted runs or is rejected, once, while several threads submit, cancel, and
// change settings. At most one task of the model `single` runs at a time.
TEST(SchedulerTest, EachTaskEndsOnce) {
  constexpr int kClients = 4;
  constexpr int kTasks = 2000;
  std::atomic<int> accepted = 0;
  std::atomic<int> ended = 0;
  std::atomic<int> ran = 0;
  std::atomic<int> running_single = 0;
  {
    Threads threads({.threads = 2, .max_calls = 50, .max_bytes = 10'000});
    v1::ModelSettings single;
    single.mutable_scheduling()->set_max_concurrent_calls(1);
    threads.scheduler.Configure("single", single);
    std::vector<std::thread> clients;
    for (int c = 0; c < kClients; ++c) {
      clients.emplace_back([&, c] {
        std::mt19937 random(static_cast<unsigned>(c));
        std::vector<std::shared_ptr<std::atomic<bool>>> flags;
        for (int i = 0; i < kTasks; ++i) {
          auto flag = std::make_shared<std::atomic<bool>>(false);
          flags.push_back(flag);
          const bool is_single = random() % 4 == 0;
          Task task{.model = is_single ? "single" : Cat("m", random() % 3),
                    .priority = static_cast<Priority>(random() % 3),
                    .bytes = random() % 500,
                    .cancelled = flag.get()};
          if (random() % 3 == 0) {
            task.deadline =
                std::chrono::steady_clock::now() + std::chrono::microseconds(random() % 2000);
          }
          task.run = [&, is_single, flag] {
            if (is_single) {
              EXPECT_EQ(running_single.fetch_add(1), 0);
              std::this_thread::yield();
              running_single.fetch_sub(1);
            }
            ++ran;
            ++ended;
          };
          task.reject = [&, flag](const Status& status) {
            EXPECT_FALSE(status.ok());
            ++ended;
          };
          if (threads.scheduler.Submit(task).ok()) ++accepted;
          if (random() % 5 == 0) {
            auto& cancelled = flags[random() % flags.size()];
            cancelled->store(true);
            threads.scheduler.Cancel(cancelled.get());
          }
          if (random() % 100 == 0) threads.scheduler.Configure(Cat("m", random() % 3), {});
        }
      });
    }
    for (std::thread& client : clients) client.join();
    while (ended != accepted) std::this_thread::yield();
    EXPECT_EQ(threads.scheduler.queued(), 0u);
  }
  EXPECT_EQ(ended, accepted);
  EXPECT_GT(ran, 0);
}

}  // namespace
}  // namespace signet
