#include "server/observability/log.h"

#include <gtest/gtest.h>

namespace signet {
namespace {

TEST(LogTest, WritesTextAndJson) {
  EXPECT_EQ(RenderLogLine(LogFormat::kText, "model loaded", {{"model", "recipes"}, {"v", "3"}}),
            "model loaded model=recipes v=3");
  EXPECT_EQ(RenderLogLine(LogFormat::kJson, "model loaded", {{"model", "recipes"}}),
            R"("event":"model loaded","model":"recipes")");
}

TEST(LogTest, EscapesTextFromOutside) {
  EXPECT_EQ(RenderLogLine(LogFormat::kText, "call", {{"m", "a\nb c\x1b[2J \"\xff"}}),
            R"(call m="a\nb c\u001b[2J \"\u00ff")");
  EXPECT_EQ(RenderLogLine(LogFormat::kText, "call", {{"m", ""}, {"n", "a=b"}}),
            R"(call m="" n="a=b")");
  EXPECT_LT(RenderLogLine(LogFormat::kJson, "call", {{"m", std::string(10'000, 'x')}}).size(),
            600u);
}

TEST(LogTest, SamplesEventsThatClientsCause) {
  LogSampler sampler(3);
  uint64_t lines = 0;
  uint64_t events = 0;
  for (int i = 0; i < 1000; ++i) {
    uint64_t count = sampler.Admit();
    lines += count > 0;
    events += count;
  }
  EXPECT_GE(lines, 3u);
  EXPECT_LT(lines, 500u);  // as long as this takes less than a minute
  EXPECT_LE(events, 1000u);
}

}  // namespace
}  // namespace signet
