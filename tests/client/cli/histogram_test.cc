#include "client/cli/histogram.h"

#include <gtest/gtest.h>

namespace signet {
namespace {

TEST(HistogramTest, IsEmptyAtFirst) { EXPECT_EQ(Histogram().Percentile(0.5), 0); }

TEST(HistogramTest, IsWithinTwoPercent) {
  for (int64_t microseconds :
       {1L, 63L, 64L, 65L, 127L, 128L, 1000L, 12'345L, 987'654L, 60'000'000L}) {
    Histogram histogram;
    histogram.Add(std::chrono::microseconds(microseconds));
    double exact = static_cast<double>(microseconds) / 1000;
    EXPECT_NEAR(histogram.Percentile(1), exact, exact * 0.02) << microseconds;
  }
}

TEST(HistogramTest, FindsPercentiles) {
  Histogram histogram;
  for (int i = 1; i <= 1000; ++i) histogram.Add(std::chrono::milliseconds(i));
  EXPECT_EQ(histogram.count(), 1000u);
  EXPECT_NEAR(histogram.Percentile(0.5), 500, 10);
  EXPECT_NEAR(histogram.Percentile(0.99), 990, 20);
  EXPECT_NEAR(histogram.Percentile(1), 1000, 20);
}

TEST(HistogramTest, CountsLatenciesBeyondItsRange) {
  Histogram histogram;
  histogram.Add(std::chrono::hours(10'000));
  histogram.Add(std::chrono::nanoseconds(-5));
  EXPECT_EQ(histogram.count(), 2u);
}

}  // namespace
}  // namespace signet
