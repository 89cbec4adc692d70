#include "core/base/checked_math.h"

#include <vector>

#include <gtest/gtest.h>

namespace signet {
namespace {

TEST(CheckedMathTest, SaysWhenASumOrProductDoesNotFit) {
  EXPECT_EQ(CheckedAdd(INT64_MAX - 1, 1), INT64_MAX);
  EXPECT_EQ(CheckedAdd(INT64_MAX, 1), std::nullopt);
  EXPECT_EQ(CheckedMultiply(int64_t{1} << 31, int64_t{1} << 31), int64_t{1} << 62);
  EXPECT_EQ(CheckedMultiply(int64_t{1} << 32, int64_t{1} << 31), std::nullopt);
}

TEST(CheckedMathTest, ProductIsTheSameInAnyOrder) {
  struct Case {
    std::vector<int64_t> dims;
    std::optional<int64_t> product;
  } const cases[] = {
      {{}, 1},
      {{2, 3}, 6},
      {{0, 5}, 0},
      {{int64_t{1} << 40, int64_t{1} << 40}, std::nullopt},
      {{0, int64_t{1} << 40, int64_t{1} << 40}, std::nullopt},
      {{int64_t{1} << 40, int64_t{1} << 40, 0}, std::nullopt},
  };
  for (const Case& c : cases) EXPECT_EQ(CheckedProduct(c.dims), c.product);
}

}  // namespace
}  // namespace signet
