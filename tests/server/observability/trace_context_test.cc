#include "server/observability/trace_context.h"

#include <set>

#include <gtest/gtest.h>

namespace signet {
namespace {

constexpr char kHeader[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

TEST(TraceContextTest, ReadsAndWritesTraceparent) {
  auto context = ParseTraceparent(kHeader);
  ASSERT_TRUE(context);
  EXPECT_TRUE(context->is_sampled());
  EXPECT_EQ(HexOf(context->trace_id.data(), 16), "4bf92f3577b34da6a3ce929d0e0e4736");
  EXPECT_EQ(HexOf(context->span_id.data(), 8), "00f067aa0ba902b7");
  EXPECT_EQ(TraceparentOf(*context), kHeader);
  auto later = ParseTraceparent(std::string("cc") + (kHeader + 2) + "-what-the-future-brings");
  ASSERT_TRUE(later);
  EXPECT_EQ(TraceparentOf(*later), kHeader);
}

TEST(TraceContextTest, RejectsInvalidHeaders) {
  const std::string header = kHeader;
  for (std::string invalid : {std::string(), header.substr(1), header + "0", header + "-x",
                              "ff" + header.substr(2), "0x" + header.substr(2)}) {
    EXPECT_FALSE(ParseTraceparent(invalid)) << invalid;
  }
  for (size_t i = 0; i < header.size(); ++i) {
    std::string damaged = header;
    damaged[i] = 'G';
    EXPECT_FALSE(ParseTraceparent(damaged)) << damaged;
  }
  EXPECT_FALSE(ParseTraceparent("00-00000000000000000000000000000000-00f067aa0ba902b7-01"));
  EXPECT_FALSE(ParseTraceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01"));
  EXPECT_FALSE(ParseTraceparent("cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01x"));
}

TEST(TraceContextTest, NewTracesDiffer) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) seen.insert(TraceparentOf(NewTrace()));
  EXPECT_EQ(seen.size(), 1000u);
}

TEST(TraceContextTest, SamplesWithTheRate) {
  int sampled = 0;
  for (int i = 0; i < 100'000; ++i) sampled += IsSampled(0.25) ? 1 : 0;
  EXPECT_NEAR(sampled, 25'000, 1500);
  EXPECT_FALSE(IsSampled(0));
  EXPECT_TRUE(IsSampled(1));
}

}  // namespace
}  // namespace signet
