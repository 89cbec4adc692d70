#include "signet/row_partition_spec.h"

#include <gtest/gtest.h>

namespace signet {
namespace {

constexpr int64_t kQ = kUnknownDim;

TEST(RowPartitionSpecTest, InfersWhatFollows) {
  struct Case {
    RowPartitionSpec parts, made;
  } const cases[] = {
      {{}, {kQ, kQ, kQ}},
      {{5, kQ, 8}, {5, 40, 8}},
      {{kQ, 40, 8}, {5, 40, 8}},
      {{5, 40, 8}, {5, 40, 8}},
      {{kQ, kQ, 8}, {kQ, kQ, 8}},
      {{0, kQ, kQ, DType::kInt32}, {0, 0, kQ, DType::kInt32}},
      {{kQ, kQ, 0}, {kQ, 0, 0}},
      {{7, kQ, 0}, {7, 0, 0}},
      {{kQ, 0, 3}, {0, 0, 3}},
      // Rows and values alone do not make a partition uniform.
      {{2, 6, kQ}, {2, 6, kQ}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.parts.ToString());
    auto made = RowPartitionSpec::Make(c.parts);
    ASSERT_TRUE(made.ok()) << made.status();
    EXPECT_EQ(*made, c.made) << made->ToString();
  }
}

TEST(RowPartitionSpecTest, RejectsWithTheFacts) {
  struct Case {
    RowPartitionSpec parts;
    const char *reason, *message;
  } const cases[] = {
      {{0, 3, kQ},
       "ROW_SPLITS",
       "`int64 [nrows 0, nvals 3, uniform_row_length ?]`: the number of rows, their length, and "
       "the number of values contradict each other"},
      {{kQ, 5, 0},
       "ROW_SPLITS",
       "`int64 [nrows ?, nvals 5, uniform_row_length 0]`: the number of rows, their length, and "
       "the number of values contradict each other"},
      {{kQ, 5, 3},
       "ROW_SPLITS",
       "`int64 [nrows ?, nvals 5, uniform_row_length 3]`: the number of rows, their length, and "
       "the number of values contradict each other"},
      {{8, 10, 5},
       "ROW_SPLITS",
       "`int64 [nrows 8, nvals 10, uniform_row_length 5]`: the number of rows, their length, and "
       "the number of values contradict each other"},
      {{-2, kQ, kQ},
       "INVALID_DIMENSION",
       "`int64 [nrows -2, nvals ?, uniform_row_length ?]`: expected sizes of at least 0, found -2"},
      {{kQ, kQ, kQ, DType::kFloat32},
       "DTYPE_MISMATCH",
       "expected row splits of int32 or int64, found `float32`"},
      {{int64_t{1} << 40, kQ, int64_t{1} << 40},
       "ROW_SPLITS",
       "`int64 [nrows 1099511627776, nvals ?, uniform_row_length 1099511627776]`: the number of "
       "rows, their length, and the number of values contradict each other"},
  };
  for (const Case& c : cases) {
    auto made = RowPartitionSpec::Make(c.parts);
    ASSERT_FALSE(made.ok()) << c.message;
    EXPECT_EQ(MessageOf(made.status()), c.message);
    EXPECT_EQ(ReasonOf(made.status()), c.reason);
  }
}

TEST(RowPartitionSpecTest, RelationsLookAtEachSize) {
  EXPECT_TRUE(IsCompatible({5, kQ, kQ}, {kQ, 15, kQ}));
  EXPECT_TRUE(IsCompatible({kQ, 0, kQ}, {kQ, kQ, 0}));
  EXPECT_FALSE(IsCompatible({kQ, kQ, kQ}, {kQ, kQ, kQ, DType::kInt32}));
  EXPECT_FALSE(IsCompatible({kQ, 5, kQ}, {kQ, kQ, 3}));  // 5 values make no rows of 3
  EXPECT_FALSE(IsCompatible({kQ, 5, kQ}, {0, kQ, kQ}));
  EXPECT_FALSE(IsCompatible({2, kQ, kQ}, {3, kQ, kQ}));
  EXPECT_EQ(*CommonSupertype({8, 33, kQ}, {8, 13, kQ}), (RowPartitionSpec{8, kQ, kQ}));
  EXPECT_EQ(*CommonSupertype({4, 8, 2}, {4, 12, 3}), (RowPartitionSpec{4, kQ, kQ}));
  EXPECT_EQ(MessageOf(CommonSupertype({}, {kQ, kQ, kQ, DType::kInt32}).status()),
            "expected row splits of one dtype, found `int64` and `int32`");
}

}  // namespace
}  // namespace signet
