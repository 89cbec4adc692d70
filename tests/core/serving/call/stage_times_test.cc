#include "core/serving/call/stage_times.h"

#include <gtest/gtest.h>

namespace signet {
namespace {

TEST(StageTimesTest, StagesAddUpToTheTotal) {
  StageTimes times;
  times.End(Stage::kDecode);
  times.End(Stage::kBind);
  times.End(Stage::kRun);
  times.End(Stage::kBind);  // entered again
  std::chrono::nanoseconds sum{};
  for (size_t i = 0; i < kNumStages; ++i) sum += times[static_cast<Stage>(i)].total;
  EXPECT_EQ(sum, times.total());
  EXPECT_EQ(times[Stage::kQueue].total.count(), 0);
  EXPECT_EQ(times[Stage::kDecode].begin, times.begin());
  EXPECT_LE(times[Stage::kBind].begin, times[Stage::kRun].begin);
  EXPECT_EQ(times[Stage::kBind].end, times.last());
  EXPECT_EQ(times.work(), times.total());
}

TEST(StageTimesTest, AssignsAWaitToTheQueue) {
  StageTimes times;
  times.End(Stage::kDecode);
  times.Resume();  // does nothing, because the call does not wait
  EXPECT_EQ(times.total(), times[Stage::kDecode].total);
  times.Wait();
  times.Resume();
  times.Wait(Stage::kBatch);
  times.Resume();
  times.End(Stage::kRun);
  EXPECT_GT(times[Stage::kQueue].total.count(), 0);
  EXPECT_GT(times[Stage::kBatch].total.count(), 0);
  EXPECT_EQ(times.work(), times[Stage::kDecode].total + times[Stage::kRun].total);
}

}  // namespace
}  // namespace signet
