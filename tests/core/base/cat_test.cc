#include "signet/cat.h"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace signet {
namespace {

struct Dot {
  std::string ToString() const { return "dot"; }
};

TEST(CatTest, JoinsTextNumbersAndThings) {
  EXPECT_EQ(Cat("a", 1, ' ', -2, ' ', 3u, ' ', true, ' ', Dot{}), "a1 -2 3 true dot");
  EXPECT_EQ(Cat(INT64_MIN, ' ', UINT64_MAX), "-9223372036854775808 18446744073709551615");
  EXPECT_EQ(Cat(), "");
}

TEST(CatTest, WritesFloatsSoThatTheyReadBack) {
  EXPECT_EQ(Cat(1.0), "1.0");
  EXPECT_EQ(Cat(-0.0), "-0.0");
  EXPECT_EQ(Cat(0.1), "0.1");
  EXPECT_EQ(Cat(1e300), "1e+300");
  EXPECT_EQ(Cat(std::nan("")), "nan");
  EXPECT_EQ(Cat(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(CatTest, JoinSeparates) {
  EXPECT_EQ(Join(std::vector<int>{1, 2, 3}, ", "), "1, 2, 3");
  EXPECT_EQ(Join(std::vector<int>{}, ", "), "");
}

TEST(CatTest, PrintableCutsAndEscapes) {
  EXPECT_EQ(Printable("a\nb\x7f"), "a\\x0ab\\x7f");
  EXPECT_EQ(Printable(std::string(100, 'x')), std::string(64, 'x') + "...");
  // Half of a two-byte letter at the cut is left out.
  EXPECT_EQ(Printable(std::string(63, 'x') + "\xc3\xa9\xc3\xa9"), std::string(63, 'x') + "...");
}

TEST(CatTest, ListNamesSortsAndStopsAtEight) {
  EXPECT_EQ(ListNames({}), "none");
  EXPECT_EQ(ListNames({"b", "a"}), "`a`, `b`");
  EXPECT_EQ(ListNames({"1", "2", "3", "4", "5", "6", "7", "8", "9", "a"}),
            "`1`, `2`, `3`, `4`, `5`, `6`, `7`, `8` and 2 more");
}

}  // namespace
}  // namespace signet
