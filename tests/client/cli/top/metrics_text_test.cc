#include "client/cli/top/metrics_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/cli/top/top_frame.h"
#include "signet/cat.h"

namespace signet {
namespace {

using ::testing::HasSubstr;

MetricsText Parse(const std::string& text) {
  auto metrics = MetricsText::Parse(text);
  EXPECT_TRUE(metrics.ok()) << metrics.status();
  return metrics.ok() ? *metrics : MetricsText();
}

TEST(MetricsTextTest, ReadsSamples) {
  MetricsText metrics = Parse(
      "# HELP a help\n# TYPE a counter\n"
      "a{x=\"1\",y=\"q\\\"\\\\\\n,}\"} 3\na{x=\"2\",y=\"r\"} 4.5\nb 1e3 1700000000\n\n");
  EXPECT_EQ(metrics.Sum("a"), 7.5);
  EXPECT_EQ(metrics.Sum("a", {{"x", "1"}}), 3);
  EXPECT_EQ(metrics.Samples("a")[0].labels.at("y"), "q\"\\\n,}");
  EXPECT_EQ(metrics.Sum("b"), 1000);
  EXPECT_EQ(metrics.Sum("none"), 0);
  for (const char* text : {"a", "a{x=\"1} 3", "a{x} 3", "a{x=\"1\"", "a x", "a{x=\"1\"}"}) {
    EXPECT_FALSE(MetricsText::Parse(text).ok()) << text;
  }
}

TEST(MetricsTextTest, FindsQuantiles) {
  MetricsText metrics = Parse(
      "h_bucket{f=\"a\",le=\"1\"} 10\nh_bucket{f=\"a\",le=\"2\"} 30\n"
      "h_bucket{f=\"a\",le=\"+Inf\"} 40\nh_bucket{f=\"b\",le=\"1\"} 5\n");
  auto buckets = metrics.Buckets("h", {{"f", "a"}});
  EXPECT_DOUBLE_EQ(QuantileOf(buckets, 0.25), 1);
  EXPECT_DOUBLE_EQ(QuantileOf(buckets, 0.5), 1.5);
  EXPECT_DOUBLE_EQ(QuantileOf(buckets, 0.99), 2);  // above the last bound
  EXPECT_DOUBLE_EQ(QuantileOf({}, 0.5), 0);
}

TEST(TopFrameTest, ShowsTheDifferenceOfTwoReadings) {
  auto page = [](int calls, int failed, int queue_full) {
    return Parse(Cat(
        "signet_calls_total{model=\"m\",function=\"f\",code=\"OK\"} ", calls,
        "\nsignet_calls_total{model=\"m\",function=\"f\",code=\"INTERNAL\"} ", failed,
        "\nsignet_calls_total{model=\"idle\",function=\"g\",code=\"OK\"} 5",
        "\nsignet_call_duration_seconds_bucket{model=\"m\",function=\"f\",le=\"0.001\"} ",
        calls / 2,
        "\nsignet_call_duration_seconds_bucket{model=\"m\",function=\"f\",le=\"0.002\"} ", calls,
        "\nsignet_call_duration_seconds_bucket{model=\"m\",function=\"f\",le=\"+Inf\"} ", calls,
        "\nsignet_function_cache_hits_total{model=\"m\",function=\"f\",match=\"exact\"} ", calls,
        "\nsignet_concrete_function_bytes{model=\"m\",function=\"f\"} 2048",
        "\nsignet_rejections_total{code=\"RESOURCE_EXHAUSTED\",reason=\"QUEUE_FULL\"} ", queue_full,
        "\nsignet_calls_in_flight 3\n"));
  };
  const std::string frame =
      RenderTopFrame(page(100, 0, 0), page(300, 20, 6), 2, {.address = "a:1"});
  EXPECT_THAT(frame, HasSubstr("a:1"));
  EXPECT_THAT(frame, HasSubstr("in flight 3"));
  EXPECT_THAT(frame, HasSubstr("QUEUE_FULL 3.0"));
  const size_t row = frame.find("\nm ");
  ASSERT_NE(row, std::string::npos) << frame;
  const std::string line = frame.substr(row + 1, frame.find('\n', row + 1) - row - 1);
  EXPECT_THAT(line, HasSubstr("110.0"));  // calls per second
  EXPECT_THAT(line, HasSubstr("10.0"));   // errors per second
  EXPECT_THAT(line, HasSubstr("1.000 ms"));
  EXPECT_THAT(line, HasSubstr("100.0%"));
  EXPECT_THAT(line, HasSubstr("2.0 KB"));
  EXPECT_LT(row, frame.find("\nidle "));
  EXPECT_THAT(RenderTopFrame(page(1, 0, 0), page(2, 0, 0), 1, {.rows = 1}),
              HasSubstr("and 1 more functions"));
}

}  // namespace
}  // namespace signet
