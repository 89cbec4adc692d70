#include "server/log.h"

#include <gtest/gtest.h>

namespace signet {
namespace {

TEST(LogTest, WritesTextAndJson) {
  EXPECT_EQ(RenderLogLine(LogFormat::kText, "model loaded", {{"model", "recipes"}, {"v", "3"}}),
            "model loaded model=recipes v=3");
  EXPECT_EQ(RenderLogLine(LogFormat::kJson, "model loaded", {{"model", "recipes"}}),
            R"("event":"model loaded","model":"recipes")");
}

TEST(LogTest, KeepsTextFromOutsideInItsPlace) {
  EXPECT_EQ(RenderLogLine(LogFormat::kText, "call", {{"m", "a\nb c\x1b[2J \"\xff"}}),
            R"(call m="a\nb c\u001b[2J \"\u00ff")");
  EXPECT_EQ(RenderLogLine(LogFormat::kText, "call", {{"m", ""}, {"n", "a=b"}}),
            R"(call m="" n="a=b")");
  EXPECT_LT(RenderLogLine(LogFormat::kJson, "call", {{"m", std::string(10'000, 'x')}}).size(),
            600u);
}

}  // namespace
}  // namespace signet
