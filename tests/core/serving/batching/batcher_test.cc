// The rules of Batcher, step by step: tasks run when the test runs them.

#include "core/serving/batching/batcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/values/builders/value_notation.h"
#include "tests/core/serving/batching/batched_calls.h"
#include "tests/support/manual_timers.h"

namespace signet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class BatcherTest : public testing::Test {
 protected:
  BatcherTest() {
    ModelBuilder builder;
    builder.AddFunction("f", "(x: int64[?], by: int64[] = 2)")
        .Node("y", "div", {"x", "by"})
        .Result("y")
        .Batch({"x"});
    // Fails if a value is negative.
    builder.AddFunction("checked", "(x: int64[?])")
        .Node("each", "greater_equal", {"x", "0"})
        .Node("ok", "reduce_all", {"each"})
        .Node("check", "check_true", {"ok"}, {{"message", std::string("negative")}})
        .Node("y", "add", {"x", "1"})
        .Result("y")
        .Batch({"x"});
    model_ = ModelOf(builder);
    Use("f");
  }

  void Use(std::string_view name, BatchLimits limits = {}) {
    function_ = FunctionOf(model_, name).function;
    batcher_ = std::make_shared<Batcher>(
        *function_, BatchParametersOf(model_->def(), function_->def()), nullptr, limits, threads_);
  }

  // Adds a call that waits.
  void Add(std::string_view x, RunControl control = {}, NamedValues keyword = {},
           int priority = 0) {
    auto value = ParseValue(x);
    ASSERT_TRUE(value.ok()) << value.status();
    auto call = function_->Prepare({{*value}, std::move(keyword)}, {});
    ASSERT_TRUE(call.ok()) << call.status();
    auto waiting = batcher_->MakeWaiting(*call, control);
    ASSERT_NE(waiting, nullptr);
    waiting->priority = priority;
    WaitingCall* raw = waiting.get();
    batcher_->Add(std::move(waiting), [this, raw, name = std::string(x)] {
      const StatusOr<Value>& result = *raw->result;
      outcomes_.push_back(result.ok() ? ToString(*result)
                                      : Cat(name, ": ", MessageOf(result.status())));
    });
  }

  // Runs the scheduled tasks, and those that they schedule.
  void RunTasks() {
    while (!tasks_.empty()) {
      auto task = std::move(tasks_.front());
      tasks_.erase(tasks_.begin());
      task();
    }
  }

  ManualTimers timers_;
  BatchThreads threads_{.schedule = [this](auto task) { tasks_.push_back(std::move(task)); },
                        .num_threads = 2,
                        .timers = &timers_};
  std::vector<std::function<void()>> tasks_;
  std::vector<std::string> outcomes_;
  std::shared_ptr<const LoadedModel> model_;
  const PolymorphicFunction* function_ = nullptr;
  std::shared_ptr<Batcher> batcher_;
};

TEST_F(BatcherTest, JoinsTheCallsThatWaitWhileOneRuns) {
  {
    auto turn = batcher_->TryStart();
    ASSERT_TRUE(turn);
    EXPECT_FALSE(batcher_->TryStart());
    Add("int64[2] [4, 6]");
    Add("int64[0] []");
    Add("int64[1] [8]");
    EXPECT_TRUE(tasks_.empty());
  }
  ASSERT_EQ(tasks_.size(), 1u);
  RunTasks();
  EXPECT_THAT(outcomes_, ElementsAre("int64[2] [2, 3]", "int64[0] []", "int64[1] [4]"));
  const BatchCounts counts = batcher_->counts();
  EXPECT_EQ(counts.single_calls, 1u);
  EXPECT_EQ(counts.batches, 1u);
  EXPECT_EQ(counts.joined_calls, 3u);
  EXPECT_EQ(counts.joined_rows, 3u);
  EXPECT_TRUE(batcher_->TryStart());
}

TEST_F(BatcherTest, JoinsOnlyCallsWithEqualOtherArguments) {
  const Value three = Tensor::Scalar(int64_t{3});
  Add("int64[1] [6]");
  Add("int64[1] [6]", {}, {{"by", three}});
  Add("int64[1] [12]");
  Add("int64[1] [12]", {}, {{"by", three}});
  RunTasks();
  EXPECT_THAT(outcomes_,
              ElementsAre("int64[1] [3]", "int64[1] [6]", "int64[1] [2]", "int64[1] [4]"));
  EXPECT_EQ(batcher_->counts().batches, 2u);
}

TEST_F(BatcherTest, CallsThatCannotBeJoinedDoNotWaitForOneAnother) {
  for (int round = 0; round < 20; ++round) {
    for (int64_t by = 1; by < 4; ++by) Add("int64[1] [6]", {}, {{"by", Tensor::Scalar(by)}});
    // The first batch starts another one for the calls that it does not take.
    ASSERT_EQ(tasks_.size(), 1u);
    auto first = std::move(tasks_.front());
    tasks_.clear();
    first();
    EXPECT_EQ(tasks_.size(), 2u);
    RunTasks();
  }
  EXPECT_EQ(outcomes_.size(), 60u);
  EXPECT_EQ(batcher_->counts().batches, 0u);
  // Most calls now run alone, at the same time.
  std::vector<Batcher::Turn> turns;
  for (int i = 0; i < 8; ++i) turns.push_back(batcher_->TryStart());
  EXPECT_GE(std::count_if(turns.begin(), turns.end(), [](const auto& turn) { return bool(turn); }),
            7);
}

TEST_F(BatcherTest, ABatchHasAtMostMaxRows) {
  Use("f", {.max_rows = 3});
  for (int i = 0; i < 5; ++i) Add("int64[1] [2]");
  // The first batch is scheduled by the first call, another one because a full batch waits.
  EXPECT_EQ(tasks_.size(), 2u);
  RunTasks();
  EXPECT_EQ(outcomes_.size(), 5u);
  EXPECT_EQ(batcher_->counts().batches, 2u);
  auto call = function_->Prepare({{*ParseValue("int64[4] [1, 2, 3, 4]")}, {}}, {});
  ASSERT_TRUE(call.ok());
  EXPECT_EQ(batcher_->MakeWaiting(*call, {}), nullptr);
  EXPECT_EQ(call->arguments.size(), 2u);
}

TEST_F(BatcherTest, ABatchHasAtMostMaxBytes) {
  Use("f", {.max_bytes = 40});
  for (int i = 0; i < 4; ++i) Add("int64[1] [2]");  // 16 bytes each
  RunTasks();
  EXPECT_EQ(outcomes_.size(), 4u);
  EXPECT_EQ(batcher_->counts().batches, 2u);
}

TEST_F(BatcherTest, CallsOfAFailedBatchRunOneByOne) {
  Use("checked");
  Add("int64[1] [1]");
  Add("int64[1] [-1]");
  Add("int64[1] [3]");
  RunTasks();
  ASSERT_EQ(outcomes_.size(), 3u);
  EXPECT_EQ(outcomes_[0], "int64[1] [2]");
  EXPECT_THAT(outcomes_[1], HasSubstr("negative"));
  EXPECT_EQ(outcomes_[2], "int64[1] [4]");
  EXPECT_EQ(batcher_->counts().failed_batches, 1u);
}

TEST_F(BatcherTest, ExpiredAndCancelledCallsEndWithoutRunning) {
  const auto now = timers_.Now();
  std::atomic<bool> cancelled = false;
  auto turn = batcher_->TryStart();
  Add("int64[1] [2]", {.deadline = now + std::chrono::hours(1)});
  Add("int64[1] [4]", {.deadline = now + std::chrono::hours(2)});
  Add("int64[1] [6]", {.cancelled = &cancelled});
  EXPECT_LE(timers_.First(), now + std::chrono::hours(1));
  cancelled = true;
  timers_.SetNow(now + std::chrono::minutes(90));
  timers_.CallFirst();
  EXPECT_THAT(outcomes_, ElementsAre(HasSubstr("deadline passed"), HasSubstr("cancelled")));
  EXPECT_EQ(batcher_->counts().expired_calls, 2u);
}

TEST_F(BatcherTest, AnotherBatchStartsAfterMaxDelay) {
  auto turn = batcher_->TryStart();
  Add("int64[1] [2]");
  timers_.PassTo(timers_.Now() + std::chrono::milliseconds(1));
  EXPECT_TRUE(tasks_.empty());
  timers_.PassTo(timers_.Now() + std::chrono::seconds(1));
  EXPECT_EQ(tasks_.size(), 1u);
  RunTasks();
  EXPECT_THAT(outcomes_, ElementsAre("int64[1] [1]"));
}

TEST_F(BatcherTest, HigherPrioritiesComeFirst) {
  Use("f", {.max_rows = 1});
  auto turn = batcher_->TryStart();
  Add("int64[1] [2]", {}, {}, -1);
  Add("int64[1] [4]", {}, {}, 0);
  Add("int64[1] [6]", {}, {}, 1);
  Add("int64[1] [8]", {}, {}, 0);
  RunTasks();
  EXPECT_THAT(outcomes_,
              ElementsAre("int64[1] [3]", "int64[1] [2]", "int64[1] [4]", "int64[1] [1]"));
}

// Each number of rows would otherwise specialize the function again.
TEST_F(BatcherTest, AllBatchesRunOneConcreteFunction) {
  for (int batch = 2; batch < 9; ++batch) {
    for (int i = 0; i < batch; ++i) Add("int64[1] [2]");
    RunTasks();
  }
  EXPECT_EQ(batcher_->counts().batches, 7u);
  // One function for calls of one row, and one for batches.
  EXPECT_EQ(function_->cache_stats().specializations, 2u);
}

}  // namespace
}  // namespace signet
