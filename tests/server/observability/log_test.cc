#include "server/observability/log.h"

#include <gtest/gtest.h>

#include "server/observability/log_levels.h"

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

TEST(LogTest, SwitchesLevels) {
  EXPECT_EQ(ConfigureLog({.level = LogLevel::kWarning}), absl::OkStatus());
  auto logged = [] {
    std::string out;
    for (LogLevel level : {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning, LogLevel::kError,
                           LogLevel::kOff}) {
      out += IsLogged(level) ? '1' : '0';
    }
    return out;
  };
  EXPECT_EQ(logged(), "00110");
  SetLogged(LogLevel::kDebug, true);
  SetLogged(LogLevel::kWarning, false);
  EXPECT_EQ(logged(), "10010");
  SetLogged(LogLevel::kWarning, true);
  EXPECT_EQ(logged(), "10110");
  EXPECT_EQ(ConfigureLog({.level = LogLevel::kOff}), absl::OkStatus());
  EXPECT_EQ(logged(), "00000");
  EXPECT_EQ(ConfigureLog({.level = LogLevel::kInfo}), absl::OkStatus());
  EXPECT_EQ(logged(), "01110");
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
