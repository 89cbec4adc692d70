#include "core/serving/admission/call_queues.h"

#include <random>

#include <gmock/gmock.h>

#include "signet/cat.h"

namespace signet {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

// Queues with a clock that the test moves. Each task has a name, and its fate is recorded.
class CallQueuesTest : public testing::Test {
 protected:
  using Started = std::unique_ptr<CallQueues::Started>;

  void Make(CallQueues::Options options) { queues_.emplace(options, stats_); }

  Task MakeTask(const std::string& name, const std::string& model,
                Priority priority = Priority::kNormal, size_t bytes = 0) {
    return {.model = model,
            .priority = priority,
            .bytes = bytes,
            .run = [this, name] { ran_.push_back(name); },
            .reject =
                [this, name](const Status& status) {
                  rejected_.push_back(Cat(name, " ", absl::StatusCodeToString(status.code())));
                }};
  }

  Status Add(Task task) {
    std::vector<CallQueues::RejectedTask> displaced;
    Status accepted = queues_->Add(task, now_, 0, displaced);
    RejectAll(displaced);
    return accepted;
  }
  Status Add(const std::string& name, const std::string& model,
             Priority priority = Priority::kNormal, size_t bytes = 0) {
    return Add(MakeTask(name, model, priority, bytes));
  }
  void RejectAll(std::vector<CallQueues::RejectedTask>& rejected) {
    for (auto& [task, status] : rejected) task.reject(status);
  }

  // Runs the next task for `time`. Returns false if there is none.
  bool RunNext(milliseconds time = milliseconds(1), Lane lane = Lane::kNormal) {
    Started started = queues_->Start(lane, now_);
    if (started == nullptr) return false;
    started->Run();
    now_ += time;
    queues_->Finish(std::move(started), now_);
    return true;
  }
  std::vector<std::string> RunAll(Lane lane = Lane::kNormal) {
    while (RunNext(milliseconds(1), lane)) {
    }
    return std::move(ran_);
  }
  // Occupies all threads of a lane.
  std::vector<Started> Occupy(int threads, Lane lane = Lane::kNormal) {
    std::vector<Started> out;
    for (int i = 0; i < threads; ++i) {
      EXPECT_TRUE(
          Add("occupant", "occupant", lane == Lane::kLow ? Priority::kLow : Priority::kNormal)
              .ok());
      out.push_back(queues_->Start(lane, now_));
      EXPECT_NE(out.back(), nullptr);
    }
    return out;
  }
  void Free(std::vector<Started>& occupants) {
    for (Started& started : occupants) queues_->Finish(std::move(started), now_);
  }
  static v1::Scheduling Settings(double weight, int max_running = 0, int max_calls = 0) {
    v1::Scheduling settings;
    settings.set_weight(weight);
    settings.set_max_concurrent_calls(max_running);
    settings.set_max_queued_calls(max_calls);
    return settings;
  }

  AdmissionStats stats_;
  std::optional<CallQueues> queues_;
  CallQueues::Clock::time_point now_{seconds(1000)};
  std::vector<std::string> ran_;
  std::vector<std::string> rejected_;
};

TEST_F(CallQueuesTest, StartsTasksOfAModelInTheOrderOfTheirArrival) {
  Make({.threads = 1});
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(Add(name, "m").ok());
  EXPECT_EQ(queues_->queued(), 3u);
  EXPECT_THAT(RunAll(), ElementsAre("a", "b", "c"));
  EXPECT_EQ(queues_->queued(), 0u);
}

TEST_F(CallQueuesTest, StartsAtMostOneTaskPerThread) {
  Make({.threads = 2});
  for (const char* name : {"a", "b", "c"}) ASSERT_TRUE(Add(name, "m").ok());
  auto first = queues_->Start(Lane::kNormal, now_);
  auto second = queues_->Start(Lane::kNormal, now_);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(queues_->Start(Lane::kNormal, now_), nullptr);
  EXPECT_EQ(stats_.running, 2);
  queues_->Finish(std::move(first), now_);
  auto third = queues_->Start(Lane::kNormal, now_);
  EXPECT_NE(third, nullptr);
  queues_->Finish(std::move(second), now_);
  queues_->Finish(std::move(third), now_);
}

TEST_F(CallQueuesTest, StartsHigherPrioritiesFirst) {
  Make({.threads = 1});
  ASSERT_TRUE(Add("normal", "m").ok());
  ASSERT_TRUE(Add("high 1", "m", Priority::kHigh).ok());
  ASSERT_TRUE(Add("high 2", "other", Priority::kHigh).ok());
  EXPECT_THAT(RunAll(), ElementsAre("high 1", "high 2", "normal"));
}

TEST_F(CallQueuesTest, RunsLowPriorityInItsOwnLane) {
  Make({.threads = 1});
  auto occupants = Occupy(1);
  ASSERT_TRUE(Add("low", "m", Priority::kLow).ok());
  EXPECT_EQ(queues_->Start(Lane::kNormal, now_), nullptr);
  EXPECT_THAT(RunAll(Lane::kLow), ElementsAre("low"));
  Free(occupants);
}

// Of 1600 high tasks that always wait, normal tasks of the same length receive 1/16 of the time.
TEST_F(CallQueuesTest, ALowerPriorityReceivesAShare) {
  Make({.threads = 1});
  int normal = 0;
  ASSERT_TRUE(Add("high", "m", Priority::kHigh).ok());
  ASSERT_TRUE(Add("normal", "m").ok());
  for (int i = 0; i < 1600; ++i) {
    ran_.clear();
    ASSERT_TRUE(RunNext());
    const bool was_normal = ran_.front() == "normal";
    normal += was_normal ? 1 : 0;
    ASSERT_TRUE(Add(ran_.front(), "m", was_normal ? Priority::kNormal : Priority::kHigh).ok());
  }
  EXPECT_GE(normal, 80);
  EXPECT_LE(normal, 120);
}

// A few tasks of high priority are not interrupted by a long one of normal priority.
TEST_F(CallQueuesTest, ALowerPriorityWaitsUntilItsShareSuffices) {
  Make({.threads = 1});
  ASSERT_TRUE(Add("known", "slow").ok());
  ASSERT_TRUE(RunNext(milliseconds(50)));
  ran_.clear();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(Add("high", "quick", Priority::kHigh).ok());
  ASSERT_TRUE(Add("normal", "slow").ok());
  const std::vector<std::string> order = RunAll();
  ASSERT_EQ(order.size(), 101u);
  EXPECT_EQ(order.back(), "normal");  // 100 ms of high priority are a share of 6 ms
}

// Random arrivals at more than the capacity, in virtual time. Normal tasks that start before high
// ones receive at most their share of the time, and the next one starts in bounded time.
TEST_F(CallQueuesTest, PrioritiesHoldInRandomHistories) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(Cat("seed ", seed));
    std::mt19937 random(seed);
    auto pick = [&](int low, int high) {
      return std::uniform_int_distribution<int>(low, high)(random);
    };
    Make({.threads = 1, .max_calls = 100'000});
    for (const char* model : {"quick", "slow"}) queues_->Configure(model, Settings(1, 1000));
    const milliseconds normal_length(pick(1, 60));
    int high_waits = 0;
    int normal_waits = 0;
    milliseconds high_time(0);    // while normal tasks wait
    milliseconds passed_time(0);  // of normal tasks that started before high ones
    milliseconds starved_time(0);
    for (int i = 0; i < 4000; ++i) {
      for (int more = pick(0, 2); more > 0; --more, ++high_waits) {
        ASSERT_TRUE(Add("high", "quick", Priority::kHigh).ok());
      }
      if (pick(0, 9) == 0) {
        ASSERT_TRUE(Add("normal", "slow").ok());
        ++normal_waits;
      }
      ran_.clear();
      auto started = queues_->Start(Lane::kNormal, now_);
      if (started == nullptr) continue;
      started->Run();
      const bool is_normal = ran_.front() == "normal";
      const milliseconds length = is_normal ? normal_length : milliseconds(pick(1, 3));
      if (is_normal) {
        if (high_waits > 0) passed_time += length;
        --normal_waits;
        starved_time = milliseconds(0);
      } else {
        if (normal_waits > 0) high_time += length;
        --high_waits;
        starved_time = normal_waits > 0 ? starved_time + length : milliseconds(0);
      }
      now_ += length;
      queues_->Finish(std::move(started), now_);
      ASSERT_LE(starved_time, 16 * (milliseconds(10) + normal_length) + milliseconds(3));
    }
    EXPECT_LE(passed_time, high_time / 16 + normal_length);
  }
}

// A long task of a lower priority uses its share for a long time.
TEST_F(CallQueuesTest, TheShareIsMeasuredInTime) {
  Make({.threads = 1});
  milliseconds high_time(0);
  milliseconds normal_time(0);
  ASSERT_TRUE(Add("high", "quick", Priority::kHigh).ok());
  ASSERT_TRUE(Add("normal", "slow").ok());
  for (int i = 0; i < 5000; ++i) {
    ran_.clear();
    auto started = queues_->Start(Lane::kNormal, now_);
    started->Run();
    const bool is_normal = ran_.front() == "normal";
    milliseconds time(is_normal ? 50 : 1);
    (is_normal ? normal_time : high_time) += time;
    now_ += time;
    queues_->Finish(std::move(started), now_);
    ASSERT_TRUE((is_normal ? Add("normal", "slow") : Add("high", "quick", Priority::kHigh)).ok());
  }
  EXPECT_GT(normal_time.count(), 0);
  EXPECT_LE(normal_time * 12, high_time);
}

// Models with weights 1 and 3 and tasks of different lengths receive 1/4 and 3/4 of the time.
TEST_F(CallQueuesTest, ModelsShareTimeByWeight) {
  Make({.threads = 2});
  queues_->Configure("heavy", Settings(3));
  std::map<std::string, double> time;
  for (int i = 0; i < 8; ++i) {
    ASSERT_TRUE(Add("light", "light").ok());
    ASSERT_TRUE(Add("heavy", "heavy").ok());
  }
  for (int i = 0; i < 4000; ++i) {
    ran_.clear();
    auto started = queues_->Start(Lane::kNormal, now_);
    started->Run();
    const std::string name = ran_.front();
    milliseconds length(name == "light" ? 7 : 2);
    time[name] += static_cast<double>(length.count());
    now_ += length;
    queues_->Finish(std::move(started), now_);
    ASSERT_TRUE(Add(name, name).ok());
  }
  EXPECT_NEAR(time["heavy"] / (time["light"] + time["heavy"]), 0.75, 0.02);
}

TEST_F(CallQueuesTest, AModelThatWasIdleReceivesNoArrears) {
  Make({.threads = 1});
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(Add("busy", "busy").ok());
    RunNext();
  }
  ran_.clear();
  for (int i = 0; i < 4; ++i) {
    ASSERT_TRUE(Add("busy", "busy").ok());
    ASSERT_TRUE(Add("idle", "idle").ok());
  }
  std::vector<std::string> order = RunAll();
  EXPECT_EQ(std::count(order.begin(), order.begin() + 4, "busy"), 2) << Join(order, " ");
}

TEST_F(CallQueuesTest, AFixedNumberOfCallsOfAModelRunsAtOnce) {
  Make({.threads = 3});
  queues_->Configure("m", Settings(1, /*max_running=*/1));
  ASSERT_TRUE(Add("a", "m").ok());
  ASSERT_TRUE(Add("b", "m").ok());
  ASSERT_TRUE(Add("other", "other").ok());
  auto first = queues_->Start(Lane::kNormal, now_);
  first->Run();
  auto other = queues_->Start(Lane::kNormal, now_);
  other->Run();
  EXPECT_EQ(queues_->Start(Lane::kNormal, now_), nullptr);
  EXPECT_THAT(ran_, ElementsAre("a", "other"));
  queues_->Finish(std::move(first), now_);
  EXPECT_TRUE(RunNext());
  EXPECT_THAT(ran_, ElementsAre("a", "other", "b"));
  queues_->Finish(std::move(other), now_);
}

TEST_F(CallQueuesTest, BoundsCalls) {
  Make({.threads = 1, .max_calls = 2});
  auto occupants = Occupy(1);
  ASSERT_TRUE(Add("a", "m").ok());
  ASSERT_TRUE(Add("b", "m").ok());
  Status full = Add("c", "m");
  EXPECT_EQ(full.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(ReasonOf(full), "QUEUE_FULL");
  EXPECT_THAT(std::string(MessageOf(full)),
              HasSubstr("2 calls wait for a thread (--max_queued_calls)"));
  EXPECT_GE(RetryAfterOf(full).value_or(milliseconds(0)), milliseconds(1));
  EXPECT_EQ(stats_.rejected_queue_full, 1u);
  Free(occupants);
  EXPECT_THAT(RunAll(), ElementsAre("a", "b"));
}

TEST_F(CallQueuesTest, BoundsBytes) {
  Make({.threads = 1, .max_bytes = 100});
  auto occupants = Occupy(1);
  ASSERT_TRUE(Add("large", "m", Priority::kNormal, 500).ok());  // one task of any size
  EXPECT_THAT(std::string(MessageOf(Add("b", "m", Priority::kNormal, 1))),
              HasSubstr("--max_queued_bytes"));
  EXPECT_EQ(stats_.queued_bytes, 500);
  Free(occupants);
  EXPECT_THAT(RunAll(), ElementsAre("large"));
  EXPECT_EQ(stats_.queued_bytes, 0);
}

TEST_F(CallQueuesTest, BoundsCallsAndBytesOfAModel) {
  Make({.threads = 1});
  v1::Scheduling settings = Settings(1, 0, /*max_calls=*/1);
  settings.set_max_queued_bytes(10);
  queues_->Configure("m", settings);
  auto occupants = Occupy(1);
  ASSERT_TRUE(Add("a", "m").ok());
  EXPECT_THAT(std::string(MessageOf(Add("b", "m"))),
              HasSubstr("1 calls of model `m` wait (scheduling.max_queued_calls)"));
  ASSERT_TRUE(Add("other", "other").ok());
  settings.set_max_queued_calls(0);
  queues_->Configure("m", settings);
  ASSERT_TRUE(Add("c", "m", Priority::kNormal, 10).ok());
  EXPECT_THAT(std::string(MessageOf(Add("d", "m", Priority::kNormal, 1))),
              HasSubstr("scheduling.max_queued_bytes"));
  Free(occupants);
}

TEST_F(CallQueuesTest, AHigherPriorityDisplacesTheNewestTaskOfALowerOne) {
  Make({.threads = 1, .max_calls = 3});
  auto occupants = Occupy(1);
  auto low_occupants = Occupy(1, Lane::kLow);
  ASSERT_TRUE(Add("low 1", "m", Priority::kLow).ok());
  ASSERT_TRUE(Add("normal", "m").ok());
  ASSERT_TRUE(Add("low 2", "m", Priority::kLow).ok());
  ASSERT_TRUE(Add("high 1", "m", Priority::kHigh).ok());
  ASSERT_TRUE(Add("high 2", "m", Priority::kHigh).ok());
  ASSERT_TRUE(Add("high 3", "m", Priority::kHigh).ok());
  EXPECT_FALSE(Add("high 4", "m", Priority::kHigh).ok());
  EXPECT_THAT(rejected_, ElementsAre("low 2 RESOURCE_EXHAUSTED", "low 1 RESOURCE_EXHAUSTED",
                                     "normal RESOURCE_EXHAUSTED"));
  EXPECT_EQ(stats_.displaced, 3u);
  Free(occupants);
  Free(low_occupants);
  EXPECT_THAT(RunAll(), ElementsAre("high 1", "high 2", "high 3"));
}

TEST_F(CallQueuesTest, AModelWithFewTasksDisplacesTheLongestQueue) {
  Make({.threads = 1, .max_calls = 4});
  auto occupants = Occupy(1);
  for (const char* name : {"a 1", "a 2", "a 3", "a 4"}) ASSERT_TRUE(Add(name, "a").ok());
  ASSERT_TRUE(Add("b 1", "b").ok());
  ASSERT_TRUE(Add("b 2", "b").ok());
  EXPECT_FALSE(Add("b 3", "b").ok());  // both queues have the same length
  EXPECT_FALSE(Add("a 5", "a").ok());
  EXPECT_THAT(rejected_, ElementsAre("a 4 RESOURCE_EXHAUSTED", "a 3 RESOURCE_EXHAUSTED"));
  Free(occupants);
}

// Tasks of another lane, and of models with a fixed number of calls, do not count in the limit.
TEST_F(CallQueuesTest, OverloadDisplacesOnlyTasksThatCountInTheLimit) {
  Make({.threads = 1, .max_calls = 1000});
  queues_->Configure("fixed", Settings(1, /*max_running=*/1));
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(Add("early", "m").ok());
  now_ += seconds(1);  // they wait for long, so the limit falls
  RunAll();
  const int64_t limit = stats_.limit;
  ASSERT_LT(limit, 100);
  auto occupants = Occupy(1);
  auto low_occupants = Occupy(1, Lane::kLow);
  ASSERT_TRUE(Add("low", "m", Priority::kLow).ok());
  for (int64_t i = 0; i < 2 * limit; ++i) ASSERT_TRUE(Add("fixed", "fixed").ok());
  for (int64_t i = 1; i < limit; ++i) ASSERT_TRUE(Add("normal", "m").ok());
  Status overloaded = Add("one too many", "m");
  EXPECT_EQ(ReasonOf(overloaded), "OVERLOADED") << overloaded;
  EXPECT_TRUE(Add("high", "m", Priority::kHigh).ok());
  EXPECT_THAT(rejected_, ElementsAre("normal RESOURCE_EXHAUSTED"));
  EXPECT_TRUE(Add("fixed", "fixed").ok());
  Free(occupants);
  Free(low_occupants);
}

// A thread is idle, although a model with a fixed number of calls has a full queue.
TEST_F(CallQueuesTest, ATaskThatCanStartAtOnceIsAccepted) {
  Make({.threads = 2, .max_calls = 1});
  queues_->Configure("fixed", Settings(1, /*max_running=*/1));
  ASSERT_TRUE(Add("running", "fixed").ok());
  auto running = queues_->Start(Lane::kNormal, now_);
  ASSERT_TRUE(Add("waits", "fixed").ok());
  EXPECT_FALSE(Add("too many", "fixed").ok());
  EXPECT_TRUE(Add("other", "other").ok());
  EXPECT_THAT(RunAll(), ElementsAre("other"));
  queues_->Finish(std::move(running), now_);
  EXPECT_THAT(RunAll(), ElementsAre("waits"));
}

TEST_F(CallQueuesTest, TasksThatContinueAreFirstAndAlwaysAccepted) {
  Make({.threads = 1, .max_calls = 1});
  auto occupants = Occupy(1);
  ASSERT_TRUE(Add("new", "m").ok());
  Task task = MakeTask("continues", "m");
  task.continues = true;
  ASSERT_TRUE(Add(std::move(task)).ok());
  Free(occupants);
  EXPECT_THAT(RunAll(), ElementsAre("continues", "new"));
}

TEST_F(CallQueuesTest, ExpiredTasksNeverRun) {
  Make({.threads = 1});
  auto occupants = Occupy(1);
  auto with_deadline = [&](const std::string& name, seconds time) {
    Task task = MakeTask(name, "m");
    task.deadline = now_ + time;
    return task;
  };
  ASSERT_TRUE(Add(with_deadline("late", seconds(3))).ok());
  ASSERT_TRUE(Add(with_deadline("early", seconds(1))).ok());
  ASSERT_TRUE(Add("none", "m").ok());
  ASSERT_EQ(queues_->FirstDeadline(), now_ + seconds(1));
  std::vector<CallQueues::RejectedTask> expired;
  now_ += seconds(1) - milliseconds(1);
  queues_->Expire(now_, expired);
  EXPECT_TRUE(expired.empty());
  now_ += milliseconds(1);
  queues_->Expire(now_, expired);
  RejectAll(expired);
  EXPECT_THAT(rejected_, ElementsAre("early DEADLINE_EXCEEDED"));
  EXPECT_EQ(stats_.expired, 1u);
  Free(occupants);
  EXPECT_THAT(RunAll(), ElementsAre("late", "none"));
  EXPECT_EQ(queues_->FirstDeadline(), std::nullopt);
  EXPECT_EQ(Add(with_deadline("past", seconds(0))).code(), absl::StatusCode::kDeadlineExceeded);
}

TEST_F(CallQueuesTest, CancelledTasksLeaveAtOnce) {
  Make({.threads = 1, .max_calls = 3});
  auto occupants = Occupy(1);
  std::atomic<bool> call = false;
  std::atomic<bool> stream = false;
  auto of = [&](const std::string& name, const std::atomic<bool>& flag) {
    Task task = MakeTask(name, "m", Priority::kNormal, 5);
    task.cancelled = &flag;
    return task;
  };
  ASSERT_TRUE(Add(of("stream 1", stream)).ok());
  ASSERT_TRUE(Add(of("call", call)).ok());
  ASSERT_TRUE(Add(of("stream 2", stream)).ok());
  EXPECT_FALSE(Add("one too many", "m").ok());
  std::vector<CallQueues::RejectedTask> cancelled;
  stream = true;
  queues_->Cancel(&stream, now_, cancelled);
  RejectAll(cancelled);
  EXPECT_THAT(rejected_, testing::UnorderedElementsAre("stream 1 CANCELLED", "stream 2 CANCELLED"));
  EXPECT_EQ(queues_->queued(), 1u);
  EXPECT_EQ(stats_.queued_bytes, 5);
  EXPECT_TRUE(Add("there is room", "m").ok());
  EXPECT_EQ(Add(of("too late", stream)).code(), absl::StatusCode::kCancelled);
  Free(occupants);
  EXPECT_THAT(RunAll(), ElementsAre("call", "there is room"));
}

TEST_F(CallQueuesTest, ACallThatIsCancelledAtItsDeadlineHasExpired) {
  Make({.threads = 1});
  auto occupants = Occupy(1);
  std::atomic<bool> call = false;
  Task task = MakeTask("call", "m");
  task.cancelled = &call;
  task.deadline = now_ + seconds(1);
  ASSERT_TRUE(Add(std::move(task)).ok());
  now_ += seconds(1);
  std::vector<CallQueues::RejectedTask> cancelled;
  queues_->Cancel(&call, now_, cancelled);
  RejectAll(cancelled);
  EXPECT_THAT(rejected_, ElementsAre("call DEADLINE_EXCEEDED"));
  EXPECT_EQ(stats_.expired, 1u);
  Free(occupants);
}

TEST_F(CallQueuesTest, SettingsLimitThePriority) {
  Make({});
  EXPECT_EQ(queues_->HighestPriority("m"), Priority::kNormal);
  v1::Scheduling settings;
  settings.set_priority(v1::Scheduling::HIGH);
  queues_->Configure("m", settings);
  EXPECT_EQ(queues_->HighestPriority("m"), Priority::kHigh);
  EXPECT_TRUE(queues_->MayBypass("m"));
  settings.set_max_concurrent_calls(4);
  queues_->Configure("m", settings);
  EXPECT_FALSE(queues_->MayBypass("m"));
}

// Three times as many calls arrive as the threads can run. The limit keeps the waiting time short,
// and the threads are never idle.
TEST_F(CallQueuesTest, TheLimitAdaptsUnderOverload) {
  constexpr int kThreads = 2;
  Make({.threads = kThreads, .max_calls = 100'000});
  const milliseconds run(4);
  std::vector<std::pair<CallQueues::Clock::time_point, Started>> running;
  int64_t longest = 0;
  int64_t finished = 0;
  for (int step = 0; step < 20'000; ++step) {  // of 1 ms
    now_ += milliseconds(1);
    for (auto& [end, started] : running) {
      if (end > now_) continue;
      queues_->Finish(std::move(started), now_);
      ++finished;
    }
    std::erase_if(running, [](const auto& entry) { return entry.second == nullptr; });
    // The threads finish 0.5 calls per millisecond.
    for (int i = 0; i < (step % 2 == 0 ? 2 : 1); ++i) (void)Add("call", "m");
    while (auto started = queues_->Start(Lane::kNormal, now_)) {
      running.emplace_back(now_ + run, std::move(started));
    }
    if (step > 2000) longest = std::max<int64_t>(longest, static_cast<int64_t>(queues_->queued()));
  }
  EXPECT_GE(finished, 20'000 / 2 * 99 / 100);
  EXPECT_LE(longest, 2 * 32 * kThreads);
  EXPECT_GT(stats_.rejected_overloaded, 0u);
  for (auto& [end, started] : running) queues_->Finish(std::move(started), now_);
}

// The counts of random histories agree with the tasks that are in the queues.
TEST_F(CallQueuesTest, CountsAgreeInRandomHistories) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(Cat("seed ", seed));
  std::mt19937 random(seed);
  auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  Make({.threads = 3, .max_calls = 40, .max_bytes = 5000});
  std::array<std::atomic<bool>, 5> calls = {};
  std::vector<Started> running;
  int accepted = 0;
  int done = 0;
  auto reject = [&](std::vector<CallQueues::RejectedTask>& rejected) {
    done += static_cast<int>(rejected.size());
    rejected.clear();
  };
  std::vector<CallQueues::RejectedTask> rejected;
  for (int i = 0; i < 20'000; ++i) {
    now_ += std::chrono::microseconds(pick(500));
    switch (pick(6)) {
      case 0:
      case 1:
      case 2: {
        Task task = MakeTask("t", Cat("m", pick(5)), static_cast<Priority>(pick(3)),
                             static_cast<size_t>(pick(400)));
        if (pick(2) == 0) task.deadline = now_ + milliseconds(pick(30));
        if (pick(2) == 0) task.cancelled = &calls[static_cast<size_t>(pick(5))];
        task.continues = pick(10) == 0;
        if (queues_->Add(task, now_, 0, rejected).ok()) ++accepted;
        break;
      }
      case 3: {
        const Lane lane = pick(2) == 0 ? Lane::kNormal : Lane::kLow;
        if (auto started = queues_->Start(lane, now_)) running.push_back(std::move(started));
        break;
      }
      case 4:
        if (!running.empty()) {
          std::swap(running[static_cast<size_t>(pick(static_cast<int>(running.size())))],
                    running.back());
          queues_->Finish(std::move(running.back()), now_);
          running.pop_back();
          ++done;
        }
        break;
      default:
        if (pick(4) == 0) {
          queues_->Configure(Cat("m", pick(5)), Settings(1 + pick(3), pick(3), pick(20)));
        } else if (pick(2) == 0) {
          queues_->Cancel(&calls[static_cast<size_t>(pick(5))], now_, rejected);
        } else {
          queues_->Expire(now_, rejected);
        }
    }
    reject(rejected);
    ASSERT_EQ(queues_->queued() + running.size() + static_cast<size_t>(done),
              static_cast<size_t>(accepted));
    ASSERT_EQ(stats_.running, static_cast<int64_t>(running.size()));
    ASSERT_GE(stats_.queued_bytes, 0);
  }
  for (size_t i = 0; i < 5; ++i) queues_->Configure(Cat("m", i), Settings(1));
  while (true) {
    for (Started& started : running) queues_->Finish(std::move(started), now_);
    running.clear();
    for (Lane lane : {Lane::kNormal, Lane::kLow}) {
      while (auto started = queues_->Start(lane, now_)) running.push_back(std::move(started));
    }
    if (running.empty()) break;
  }
  EXPECT_EQ(queues_->queued(), 0u);
  EXPECT_EQ(stats_.queued_bytes, 0);
  EXPECT_EQ(stats_.running, 0);
  EXPECT_EQ(queues_->FirstDeadline(), std::nullopt);
  EXPECT_EQ(queues_->ExpectedWait(Lane::kNormal).count(), 0);
}

}  // namespace
}  // namespace signet
