#include "server/observability/metrics.h"

#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "signet/cat.h"

namespace signet {
namespace {

EndedCall CallWith(const StageTimes& times, absl::StatusCode code = absl::StatusCode::kOk) {
  return {.code = code, .times = &times, .request_bytes = 10, .response_bytes = 3};
}

TEST(MetricsTest, AddsUpTheCallsOfAllThreads) {
  constexpr int kThreads = 20;  // more than there are shards
  constexpr int kCalls = 500;
  Metrics metrics(10);
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < kCalls; ++j) {
        StageTimes times;
        times.End(Stage::kRun);
        auto code = j % 5 == 0 ? absl::StatusCode::kNotFound : absl::StatusCode::kOk;
        metrics.Record(metrics.SeriesOf("m", Cat("f", j % 2)), CallWith(times, code));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  const auto sum = metrics.SeriesOf("m", "f0").Sum();
  EXPECT_EQ(sum.calls[0], kThreads * kCalls * 4 / 10);
  EXPECT_EQ(sum.calls[5], kThreads * kCalls / 10);
  EXPECT_EQ(sum.request_bytes, 10 * kThreads * kCalls / 2);
  uint64_t timed = 0;
  for (uint64_t bucket : sum.stages[static_cast<size_t>(Stage::kRun)].buckets) timed += bucket;
  EXPECT_EQ(timed, kThreads * kCalls / 2);
  EXPECT_EQ(metrics.AllSeries().size(), 4u);  // unknown, m.f0, m.f1, other
}

TEST(MetricsTest, BoundsTheNumberOfSeries) {
  Metrics metrics(3);
  StageTimes times;
  for (int i = 0; i < 1000; ++i) {
    metrics.Record(metrics.SeriesOf(Cat("model", i), "f"), CallWith(times));
  }
  auto all = metrics.AllSeries();
  ASSERT_EQ(all.size(), 5u);
  EXPECT_EQ(all[1]->model(), "model0");
  EXPECT_EQ(all[4]->model(), "other");
  EXPECT_EQ(all[4]->Sum().calls[0], 997u);
  EXPECT_EQ(&metrics.SeriesOf("model1", "f"), all[2]);
}

TEST(MetricsTest, BoundsTheNumberOfReasons) {
  Metrics metrics(1);
  for (int i = 0; i < 1000; ++i) metrics.CountError(absl::StatusCode::kInternal, Cat("REASON_", i));
  metrics.CountError(absl::StatusCode::kInternal, "REASON_0");
  auto errors = metrics.Errors();
  EXPECT_LE(errors.size(), 65u);
  EXPECT_EQ(errors[0].count, 2u);
  EXPECT_EQ(errors.back().reason, "other");
  EXPECT_EQ(errors.back().count, 1000u - 64);
}

TEST(MetricsTest, CountsWastedWorkAndBatches) {
  Metrics metrics(1);
  CallSeries& series = metrics.SeriesOf("m", "f");
  StageTimes times;
  times.End(Stage::kRun);
  EndedCall call = CallWith(times, absl::StatusCode::kCancelled);
  call.is_wasted = true;
  metrics.Record(series, call);
  series.RecordBatch(1, 3, 1);
  series.RecordBatch(1, 5, 2);
  series.RecordBatch(2, 7, 100'000);
  const auto sum = series.Sum();
  EXPECT_EQ(sum.wasted_calls, 1u);
  EXPECT_EQ(sum.wasted_time, static_cast<uint64_t>(times.work().count()));
  EXPECT_EQ(sum.batch_calls, 15u);
  EXPECT_EQ(sum.batch_rows.sum, 100'003u);
  EXPECT_EQ(sum.batch_rows.buckets[0], 1u);
  EXPECT_EQ(sum.batch_rows.buckets[1], 1u);
  EXPECT_EQ(sum.batch_rows.buckets[kBatchBounds], 1u);
}

TEST(MetricsTest, CountsTheCallsOfEachVersion) {
  Metrics metrics(1);
  CallSeries& series = metrics.SeriesOf("m", "f");
  StageTimes times;
  times.End(Stage::kRun);
  auto record = [&](int64_t version, absl::StatusCode code) {
    EndedCall call = CallWith(times, code);
    call.version = version;
    metrics.Record(series, call);
  };
  record(1, absl::StatusCode::kOk);
  record(1, absl::StatusCode::kOk);
  record(1, absl::StatusCode::kInternal);
  record(2, absl::StatusCode::kOk);
  series.RecordBatch(1, 2, 9);
  const auto first = series.SumOf(1);
  EXPECT_EQ(first.successes, 2u);
  EXPECT_EQ(first.failures, 1u);
  EXPECT_EQ(first.batches, 1u);
  EXPECT_EQ(first.batch_calls, 2u);
  EXPECT_GT(first.success_time, first.failure_time);
  EXPECT_GT(first.stages[static_cast<size_t>(Stage::kRun)], 0u);
  EXPECT_GT(first.last_call, 1'000'000'000'000u);  // after 2001
  EXPECT_EQ(series.SumOf(2).successes, 1u);
  EXPECT_EQ(series.SumOf(3).successes, 0u);
  record(5, absl::StatusCode::kOk);  // in the place of version 1
  EXPECT_EQ(series.SumOf(1).successes, 0u);
  EXPECT_EQ(series.SumOf(5).successes, 1u);
  EXPECT_EQ(series.SumOf(5).failures, 0u);
  EXPECT_EQ(series.Sum().calls[0], 4u);
}

TEST(MetricsTest, AssignsEachTimeToTheFirstBucketWhoseBoundItDoesNotExceed) {
  for (int64_t time : {int64_t{0}, int64_t{1}, int64_t{4096}, int64_t{4097}, int64_t{1'000'000},
                       int64_t{1} << 35, (int64_t{1} << 35) + 1, int64_t{1} << 50}) {
    const size_t index = CallBuckets::IndexOf(time);
    const double seconds = static_cast<double>(time) / 1e9;
    if (index < CallBuckets::kBounds) {
      EXPECT_LE(seconds, CallBuckets::BoundOf(index)) << time;
    }
    if (index > 0) {
      EXPECT_GT(seconds, CallBuckets::BoundOf(index - 1)) << time;
    }
    const size_t stage = StageBuckets::IndexOf(time);
    if (stage < StageBuckets::kBounds) {
      EXPECT_LE(seconds, StageBuckets::BoundOf(stage)) << time;
    }
    if (stage > 0) {
      EXPECT_GT(seconds, StageBuckets::BoundOf(stage - 1)) << time;
    }
  }
}

}  // namespace
}  // namespace signet
