#include "signet/shape.h"

#include <gtest/gtest.h>

namespace signet {
namespace {

constexpr int64_t kQ = kUnknownDim;
const PartialShape kUnknownRank;

TEST(ShapeTest, IsWrittenInBrackets) {
  EXPECT_EQ((Shape{2, 3}).ToString(), "[2, 3]");
  EXPECT_EQ(Shape{}.ToString(), "[]");
  EXPECT_EQ((PartialShape{2, kQ}).ToString(), "[2, ?]");
  EXPECT_EQ(kUnknownRank.ToString(), "[...]");
}

TEST(ShapeTest, CheckRejectsSizesThatOverflow) {
  EXPECT_TRUE(CheckShape(Shape{2, 0}.dims(), 4).ok());
  EXPECT_EQ(ReasonOf(CheckShape(Shape{2, -1}.dims(), 4)), "INVALID_DIMENSION");
  EXPECT_FALSE(CheckShape(Shape{int64_t{1} << 62}.dims(), 4).ok());
  EXPECT_FALSE(CheckShape(Shape{0, int64_t{1} << 40, int64_t{1} << 40}.dims(), 1).ok());
}

TEST(ShapeTest, RelationsFollowTheTable) {
  struct Case {
    PartialShape a, b;
    bool below, compatible;
    PartialShape join;
  } const cases[] = {
      {{2, 3}, {2, 3}, true, true, {2, 3}},
      {{2, 3}, {2, kQ}, true, true, {2, kQ}},
      {{2, kQ}, {2, 3}, false, true, {2, kQ}},
      {{2, kQ}, {kQ, 3}, false, true, {kQ, kQ}},
      {{8, 3}, {8, 5}, false, false, {8, kQ}},
      {{3}, {3, 1}, false, false, kUnknownRank},
      {{3}, kUnknownRank, true, true, kUnknownRank},
      {kUnknownRank, {3}, false, true, kUnknownRank},
      {kUnknownRank, kUnknownRank, true, true, kUnknownRank},
      {Shape{}, Shape{}, true, true, Shape{}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(Cat(c.a, " and ", c.b));
    EXPECT_EQ(c.a.IsSubtypeOf(c.b), c.below);
    EXPECT_EQ(c.a.IsCompatibleWith(c.b), c.compatible);
    EXPECT_EQ(c.b.IsCompatibleWith(c.a), c.compatible);
    EXPECT_EQ(c.a.MostSpecificCommonSupertype(c.b), c.join);
    EXPECT_EQ(c.b.MostSpecificCommonSupertype(c.a), c.join);
    EXPECT_EQ(c.a.MergeWith(c.b).ok(), c.compatible);
  }
  EXPECT_EQ(*(PartialShape{2, kQ}).MergeWith({kQ, 3}), (PartialShape{2, 3}));
  EXPECT_EQ(ReasonOf(PartialShape({2}).MergeWith({3}).status()), "INCOMPATIBLE_SHAPES");
}

TEST(ShapeTest, BroadcastsDimensionOneAndUnknown) {
  struct Case {
    PartialShape a, b;
    std::string result;  // empty: an error
  } const cases[] = {
      {{2, 1}, {3}, "[2, 3]"}, {{}, {3}, "[...]"}, {Shape{}, {3}, "[3]"},
      {{kQ}, {1}, "[?]"},      {{kQ}, {4}, "[4]"}, {{kQ}, {kQ}, "[?]"},
      {{2}, {3}, ""},          {{0}, {1}, "[0]"},  {{0}, {2}, ""},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(Cat(c.a, " and ", c.b));
    for (auto result : {BroadcastShapes(c.a, c.b), BroadcastShapes(c.b, c.a)}) {
      EXPECT_EQ(result.ok() ? result->ToString() : "", c.result);
    }
  }
}

TEST(ShapeTest, AxesCountFromTheEndToo) {
  EXPECT_EQ(*NormalizeAxis(-1, 3), 2);
  EXPECT_EQ(*NormalizeAxis(0, 3), 0);
  EXPECT_FALSE(NormalizeAxis(3, 3).ok());
  EXPECT_FALSE(NormalizeAxis(-4, 3).ok());
  EXPECT_FALSE(NormalizeAxis(0, 0).ok());
}

}  // namespace
}  // namespace signet
