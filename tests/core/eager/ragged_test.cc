#include "signet/ops/ragged.h"

#include <gtest/gtest.h>

#include "tests/core/eager/value_text.h"

namespace signet {
namespace {

TEST(RaggedTest, ComesFromDenseValuesAndGoesBack) {
  Value padded = Parse("int8[2, 3] [[5, 7, 0], [6, 0, 0]]");
  EXPECT_EQ(Text(RaggedFromDense(padded)), "ragged int8[2, (3)] [[5, 7, 0], [6, 0, 0]]");
  EXPECT_EQ(Text(RaggedFromDense(padded, {.lengths = Parse("int64[2] [1, 2]")})),
            "ragged int8[2, (?)] [[5], [6, 0]]");
  auto rows = RaggedFromDense(padded, {.padding = Parse("0")});
  ASSERT_EQ(Text(rows), "ragged int8[2, (?)] [[5, 7], [6]]");
  EXPECT_EQ(Text(RaggedFromDense(padded, {.ragged_rank = 2})),
            "`ragged_from_dense`: ragged_rank: expected 1 to 1 for `int8[2, 3]`, found 2");
  EXPECT_EQ(Text(RaggedToDense(*rows)), "int8[2, 2] [[5, 7], [6, 0]]");
  EXPECT_EQ(Text(RaggedToDense(*rows, {.missing = Parse("9"), .shape = {{3, std::nullopt}}})),
            "int8[3, 2] [[5, 7], [6, 9], [9, 9]]");
}

TEST(RaggedTest, ComesFromSparseValuesAndGoesBack) {
  Value rows = Parse("ragged int8[2, (?)] [[5, 7], [6]]");
  auto sparse = RaggedToSparse(rows);
  ASSERT_TRUE(sparse.ok()) << sparse.status();
  EXPECT_EQ(Text(RaggedFromSparse(*sparse)), ToString(rows));
}

}  // namespace
}  // namespace signet
