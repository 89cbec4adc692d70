#include "signet/ops/picking.h"

#include <gtest/gtest.h>

#include "tests/core/eager/value_text.h"

namespace signet {
namespace {

TEST(PickingTest, Picks) {
  Value rows = Parse("ragged int8[2, (?)] [[1, 2], [3]]");
  EXPECT_EQ(Text(Gather(rows, Parse("int64[1] [1]"))), "ragged int8[1, (?)] [[3]]");
  EXPECT_EQ(Text(Gather(rows, Parse("int64[1] [0]"), {.axis = 1})), "int8[2, 1] [[1], [3]]");
  EXPECT_EQ(Text(Gather(rows, Parse("int64[2] [1, 0]"), {.batch_dims = 1})), "int8[2] [2, 3]");
  EXPECT_EQ(Text(BatchGather(rows, Parse("int64[2, 1] [[1], [0]]"))), "int8[2, 1] [[2], [3]]");
  EXPECT_EQ(Text(GatherNd(rows, Parse("int64[2] [0, 1]"))), "int8[] 2");
  EXPECT_EQ(GatherNd(rows, Parse("int64[2] [1, 1]")).status().code(),
            absl::StatusCode::kOutOfRange);
}

TEST(PickingTest, ChoosesByConditions) {
  Value rows = Parse("ragged int8[2, (?)] [[1, 2], [3]]");
  Value first = Parse("bool[2] [True, False]");
  EXPECT_EQ(Text(BooleanMask(rows, first)), "ragged int8[1, (?)] [[1, 2]]");
  EXPECT_EQ(Text(Where(first)), "int64[1, 1] [[0]]");
  EXPECT_EQ(Text(Where(first, rows, Parse("ragged int8[2, (?)] [[], [4, 5]]"))),
            "ragged int8[2, (?)] [[1, 2], [4, 5]]");
  EXPECT_EQ(Text(Where(first, rows, Parse("int8[2] [1, 2]"))).substr(0, 18), "`where`: expected ");
}

TEST(PickingTest, ShufflesAndLooksUp) {
  EXPECT_EQ(Text(RandomShuffle(Parse("int8[5] [0, 1, 2, 3, 4]"), 7)), "int8[5] [4, 3, 0, 2, 1]");
  Value table = Parse("float32[2] [1, 3]");
  Value ids = Parse("ragged int64[2, (?)] [[0, 1], []]");
  EXPECT_EQ(Text(EmbeddingLookup(table, ids)), "float32[2] [2.0, 0.0]");
  EXPECT_EQ(Text(EmbeddingLookup(
                table, ids,
                {.weights = Parse("ragged float32[2, (?)] [[2, 1], []]"), .combiner = "sum"})),
            "float32[2] [5.0, 0.0]");
  EXPECT_EQ(Text(EmbeddingLookup(table, ids, {.combiner = "sum", .max_norm = 2})),
            "float32[2] [3.0, 0.0]");
}

}  // namespace
}  // namespace signet
