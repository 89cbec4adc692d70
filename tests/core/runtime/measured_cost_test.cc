#include "core/runtime/measured_cost.h"

#include <vector>

#include <gtest/gtest.h>

#include "signet/tensor.h"

namespace signet {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;

size_t ClassOf(std::vector<Value> arguments) { return MeasuredCost::ClassOf(arguments); }

Value Number(int64_t n) { return Tensor::Scalar(n); }

TEST(MeasuredCostTest, SeparatesSizes) {
  EXPECT_EQ(ClassOf({Number(260)}), ClassOf({Number(300)}));
  EXPECT_NE(ClassOf({Number(4)}), ClassOf({Number(260)}));
  EXPECT_NE(ClassOf({Number(4), Number(260)}), ClassOf({Number(260), Number(4)}));
  const Value few = Tensor::Of<float>({4}, std::vector<float>(4));
  const Value many = Tensor::Of<float>({400}, std::vector<float>(400));
  EXPECT_NE(ClassOf({few}), ClassOf({many}));
  EXPECT_EQ(ClassOf({few}), ClassOf({Value(Tensor::Of<float>({4}, {1, 2, 3, 4}))}));
  EXPECT_NE(
      ClassOf({Value(Tensor::Strings({1}, {{"a"}}))}),
      ClassOf({Value(Tensor::Strings(
          {1},
          {{std::string_view("a text of many more bytes than that of the other argument")}}))}));
  EXPECT_LT(ClassOf({}), MeasuredCost::kClasses);
  EXPECT_LT(ClassOf({Number(-1)}), MeasuredCost::kClasses);
}

TEST(MeasuredCostTest, LearnsThatRunsAreLong) {
  MeasuredCost cost;
  cost.Record(3, milliseconds(5));
  EXPECT_FALSE(cost.IsLong(3));  // the system may have interrupted one run
  cost.Record(3, milliseconds(5));
  EXPECT_TRUE(cost.IsLong(3));
  EXPECT_FALSE(cost.IsLong(4));
}

TEST(MeasuredCostTest, ChangesBackWhenRunsAreQuick) {
  MeasuredCost cost;
  for (int i = 0; i < 100; ++i) cost.Record(0, milliseconds(5));
  int runs = 0;
  for (; cost.IsLong(0) && runs < 1000; ++runs) cost.Record(0, microseconds(20));
  EXPECT_GT(runs, 8);
  EXPECT_LT(runs, 40);
}

TEST(MeasuredCostTest, DoesNotChangeBackAndForth) {
  MeasuredCost cost;
  for (int i = 0; i < 100; ++i) cost.Record(0, milliseconds(5));
  for (int i = 0; i < 100; ++i) {
    cost.Record(0, microseconds(150));  // between the two thresholds
    EXPECT_TRUE(cost.IsLong(0));
  }
  MeasuredCost other;
  for (int i = 0; i < 100; ++i) {
    other.Record(0, microseconds(150));
    EXPECT_FALSE(other.IsLong(0));
  }
}

TEST(MeasuredCostTest, ToleratesInterruptedRuns) {
  MeasuredCost cost;
  for (int i = 0; i < 1000; ++i) {
    cost.Record(0, i % 20 == 0 ? milliseconds(8) : microseconds(10));
    EXPECT_FALSE(cost.IsLong(0));
  }
}

}  // namespace
}  // namespace signet
