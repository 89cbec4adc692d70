#include "signet/ops/arrays.h"

#include <gtest/gtest.h>

#include "tests/core/eager/value_text.h"

namespace signet {
namespace {

std::string Text(const StatusOr<std::vector<Value>>& values) {
  return values.ok() ? ToString(ListOf(*values)) : std::string(MessageOf(values.status()));
}

TEST(ArraysTest, JoinAndCut) {
  const std::vector<Value> values = {Parse("int8[1] [1]"), Parse("int8[2] [2, 3]")};
  EXPECT_EQ(Text(Concat(values)), "int8[3] [1, 2, 3]");
  EXPECT_EQ(Text(Stack(values, {.ragged = true})), "ragged int8[2, (?)] [[1], [2, 3]]");
  Value matrix = Parse("int8[2, 2] [[1, 2], [3, 4]]");
  EXPECT_EQ(Text(Concat(std::vector{matrix, matrix}, {.axis = -1})),
            "int8[2, 4] [[1, 2, 1, 2], [3, 4, 3, 4]]");
  EXPECT_EQ(Text(Split(matrix, {.axis = 1, .num = 2})),
            "list(int8[2, 1], int8[2, 1]) [[[1], [3]], [[2], [4]]]");
  EXPECT_EQ(Text(Split(matrix, {.sizes = {{0, 2}}})),
            "list(int8[0, 2], int8[2, 2]) [[], [[1, 2], [3, 4]]]");
  EXPECT_EQ(Text(Split(matrix, {})), "`split`: missing `num` or `sizes`; pass one of them");
  EXPECT_EQ(Text(Unstack(matrix, 1)), "list(int8[2], int8[2]) [[1, 3], [2, 4]]");
  EXPECT_EQ(Text(Tile(values[0], std::vector<int64_t>{2})), "int8[2] [1, 1]");
}

TEST(ArraysTest, Measure) {
  Value ragged = Parse("ragged int8[2, (?)] [[1], [2, 3]]");
  EXPECT_EQ(Text(Rank(ragged)), "int64[] 2");
  EXPECT_EQ(Text(Size(ragged, DType::kInt32)), "int32[] 3");
  EXPECT_EQ(Text(DimSizes(ragged)), "tuple(int64[], int64[2]) [2, [1, 2]]");
  EXPECT_EQ(Text(ZerosLike(ragged)), "ragged int8[2, (?)] [[0], [0, 0]]");
  EXPECT_EQ(Text(OnesLike(Parse("{}[2] [{}, {}]"))), "float32[2] [1.0, 1.0]");
  EXPECT_EQ(Text(OnesLike(ragged, DType::kBool)), "ragged bool[2, (?)] [[True], [True, True]]");
}

}  // namespace
}  // namespace signet
