#include "signet/literal.h"

#include <bit>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

namespace signet {
namespace {

TEST(LiteralTest, KindsNeverMix) {
  const std::vector<Literal> different = {Literal(),
                                          Literal::Bool(false),
                                          Literal::Bool(true),
                                          Literal::Int(0),
                                          Literal::Int(1),
                                          Literal::Float(1.0),
                                          Literal::Float(0.0),
                                          Literal::String(""),
                                          Literal::String("1"),
                                          Literal::Int(UINT64_MAX),
                                          Literal::Int(-1),
                                          Literal::Float(std::nan(""))};
  for (size_t i = 0; i < different.size(); ++i) {
    for (size_t k = 0; k < different.size(); ++k) {
      EXPECT_EQ(different[i] == different[k], i == k)
          << different[i].ToString() << ' ' << different[k].ToString();
      EXPECT_EQ(different[i].Hash() == different[k].Hash(), i == k);
    }
  }
}

TEST(LiteralTest, FloatsAreIdenticalOnlyIfTheirBitsAre) {
  const double different[] = {0.0, -0.0, std::nan(""), -std::nan(""), std::nan("1"), std::nan("2")};
  for (double a : different) {
    for (double b : different) {
      const bool same = std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
      EXPECT_EQ(Literal::Float(a) == Literal::Float(b), same);
      EXPECT_EQ(Literal::Float(a).Hash() == Literal::Float(b).Hash(), same);
    }
  }
}

TEST(LiteralTest, WritesTheBitsOfUnusualNans) {
  EXPECT_EQ(Literal::Float(std::nan("")).ToString(), "nan");
  EXPECT_EQ(Literal::Float(std::nan("1")).ToString(), "nan(0x7ff8000000000001)");
  EXPECT_EQ(Literal::Float(-std::nan("")).ToString(), "nan(0xfff8000000000000)");
  EXPECT_EQ(Literal::Float(-0.0).ToString(), "-0.0");
}

TEST(LiteralTest, IntegersKnowWhetherTheyFitInt64) {
  EXPECT_EQ(Literal::Int(INT64_MIN).AsInt64(), INT64_MIN);
  EXPECT_EQ(Literal::Int(absl::int128(INT64_MAX) + 1).AsInt64(), std::nullopt);
  EXPECT_EQ(Literal::Float(1).AsInt64(), std::nullopt);
}

TEST(LiteralTest, QuotesWhatIsNotPrintableOrNotUtf8) {
  struct Case {
    std::string text, quoted;
  } const cases[] = {
      {"a", "\"a\""},
      {"\"\\\n\t\r", "\"\\\"\\\\\\n\\t\\x0d\""},
      {"\xc3\xa9", "\"\xc3\xa9\""},
      {"\xc3", "\"\\xc3\""},
      {"\xff\xc3\xa9", "\"\\xff\xc3\xa9\""},
      {"\xed\xa0\x80", "\"\\xed\\xa0\\x80\""},           // a surrogate
      {"\xf4\x90\x80\x80", "\"\\xf4\\x90\\x80\\x80\""},  // beyond Unicode
      {"\xc0\x80", "\"\\xc0\\x80\""},                    // overlong
      {std::string(1, '\0'), "\"\\x00\""},
  };
  for (const Case& c : cases) EXPECT_EQ(Quote(c.text), c.quoted);
}

}  // namespace
}  // namespace signet
