// Regular expressions and texts made to take time or memory.

#include <chrono>

#include <gtest/gtest.h>

#include "signet/ops/run_op.h"

namespace signet {
namespace {

StatusOr<Value> Replace(std::string_view text, std::string_view pattern,
                        std::string_view rewrite = "") {
  std::string_view one[] = {text};
  return RunOp1("regex_replace", {Value(Tensor::Strings({1}, one))},
                Attributes({{"pattern", AttributeOf(pattern)}, {"rewrite", AttributeOf(rewrite)}}));
}

TEST(RegexTest, PatternsThatBacktrackElsewhereAreLinear) {
  std::string text(100'000, 'a');
  auto begin = std::chrono::steady_clock::now();
  auto made = Replace(text, "(a*)*(a*)*b");
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->tensor().string_at(0), text);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(RegexTest, RejectsProgramsThatAreTooLarge) {
  // A repetition of classes of Unicode: short to write, long to run.
  std::string pattern;
  for (int i = 0; i < 40; ++i) pattern += "\\pL{1000}";
  EXPECT_EQ(Replace("a", pattern).status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(Replace("a", std::string(20'000, 'a')).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(RegexTest, RejectsTextThatGrowsTooLarge) {
  std::string rewrite;
  for (int i = 0; i < 3000; ++i) rewrite += "\\0";
  EXPECT_EQ(Replace(std::string(1 << 20, 'a'), "a+", rewrite).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(RegexTest, AcceptsTextThatIsNotUtf8) {
  auto made = Replace("a\xff\xfe\x80z", "z", "y");
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(made->tensor().string_at(0), "a\xff\xfe\x80y");
  EXPECT_TRUE(Replace("\xff\xc3", "", "-").ok());
}

}  // namespace
}  // namespace signet
