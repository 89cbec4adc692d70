#include "signet/ops/broadcasting.h"

#include <gtest/gtest.h>

#include "core/values/builders/value_notation.h"

namespace signet {
namespace {

TEST(BroadcastingTest, SizesAreNumbersAndRowLengths) {
  EXPECT_EQ(*RowDimsOf(*ParseValue("ragged int64[2, (?), 1] [[[1], [2]], [[3]]]")),
            (RowDims{2, RowLengths{2, 1}, 1}));
  EXPECT_EQ(*RowDimsOf(*ParseValue("int64[] 1")), RowDims{});
  const char* kSparse = "sparse int64[3] {indices: [[1]], values: [7], dense_shape: [3]}";
  EXPECT_FALSE(RowDimsOf(*ParseValue(kSparse)).ok());
}

TEST(BroadcastingTest, StretchesSizesOfOne) {
  EXPECT_EQ(*BroadcastSizes({2, RowLengths{2, 1}, 2, 1}, {1, 1, 2, RowLengths{2, 1}}),
            (RowDims{2, RowLengths{2, 1}, 2, RowLengths{2, 1, 2, 1, 2, 1}}));
  EXPECT_EQ(*BroadcastDimension({1, RowLengths{5}}, 0, 3), (RowDims{3, RowLengths{5, 5, 5}}));
  EXPECT_EQ(*BroadcastDimension({3, 1, 5}, 1, RowLengths{2, 0, 1}),
            (RowDims{3, RowLengths{2, 0, 1}, 5}));
  EXPECT_EQ(MessageOf(BroadcastSizes({2, 3}, {2, 4}).status()),
            "`broadcast_sizes`: dimension 1: expected equal sizes, found 3 and 4");
  EXPECT_EQ(MessageOf(BroadcastSizes({RowLengths{1}}, {2}).status()),
            "`broadcast_sizes`: dimension 0: expected a size, found `list(1)`");
}

TEST(BroadcastingTest, RepeatsValues) {
  EXPECT_EQ(ToString(*BroadcastTo(*ParseValue("int64[2, 1] [[1], [2]]"), {2, RowLengths{3, 0}})),
            "ragged int64[2, (?)] [[1, 1, 1], []]");
  EXPECT_FALSE(BroadcastTo(*ParseValue("int64[2] [1, 2]"), {2, RowLengths{3, 0}}).ok());
}

}  // namespace
}  // namespace signet
