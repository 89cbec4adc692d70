#include "signet/row_partition.h"

#include <gtest/gtest.h>

#include "core/values/builders/value_notation.h"

namespace signet {
namespace {

Tensor Ints(std::vector<int64_t> values) {
  return Tensor::Of<int64_t>({static_cast<int64_t>(values.size())}, values);
}

Tensor Ints32(std::vector<int32_t> values) {
  return Tensor::Of<int32_t>({static_cast<int64_t>(values.size())}, values);
}

std::string Text(const Tensor& tensor) { return ToString(Value(tensor)); }

std::string Splits(const StatusOr<RowPartition>& partition) {
  if (!partition.ok()) return Cat("!! ", MessageOf(partition.status()));
  auto length = partition->uniform_row_length();
  return Cat(Text(partition->row_splits()), length ? Cat(" uniform ", *length) : "");
}

TEST(RowPartitionTest, EveryViewMakesTheSamePartition) {
  const std::string splits = "int64[6] [0, 4, 4, 7, 8, 8]";
  EXPECT_EQ(Splits(RowPartition::FromRowSplits(Ints({0, 4, 4, 7, 8, 8}))), splits);
  EXPECT_EQ(Splits(RowPartition::FromRowLengths(Ints({4, 0, 3, 1, 0}))), splits);
  EXPECT_EQ(Splits(RowPartition::FromValueRowIds(Ints({0, 0, 0, 0, 2, 2, 2, 3}), 5)), splits);
  EXPECT_EQ(Splits(RowPartition::FromRowStarts(Ints({0, 4, 4, 7, 8}), 8)), splits);
  EXPECT_EQ(Splits(RowPartition::FromRowLimits(Ints({4, 4, 7, 8, 8}))), splits);
  // Without nrows, the last id counts the rows.
  EXPECT_EQ(Splits(RowPartition::FromValueRowIds(Ints({0, 2}))), "int64[4] [0, 1, 1, 2]");
  EXPECT_EQ(Splits(RowPartition::FromValueRowIds(Ints({}))), "int64[1] [0]");
  EXPECT_EQ(Splits(RowPartition::FromValueRowIds(Ints32({1}), 2)), "int32[3] [0, 0, 1]");
}

TEST(RowPartitionTest, UniformOnesKnowIt) {
  using P = RowPartition;
  const DType i64 = DType::kInt64;
  EXPECT_EQ(Splits(P::FromUniformRowLength(i64, 2, 4)), "int64[3] [0, 2, 4] uniform 2");
  EXPECT_EQ(Splits(P::FromUniformRowLength(i64, 3, {}, 2)), "int64[3] [0, 3, 6] uniform 3");
  EXPECT_EQ(Splits(P::FromUniformRowLength(i64, 0, 0, 2)), "int64[3] [0, 0, 0] uniform 0");
  EXPECT_EQ(Splits(P::FromUniformRowLength(i64, 0, 0)), "int64[1] [0] uniform 0");
  EXPECT_EQ(Splits(P::FromUniformRowLength(DType::kInt32, 1, 1)), "int32[2] [0, 1] uniform 1");
  EXPECT_FALSE(P::FromRowLengths(Ints({3, 3}))->uniform_row_length());
}

TEST(RowPartitionTest, HasEveryView) {
  for (DType dtype : {DType::kInt64, DType::kInt32}) {
    RowPartition partition = *RowPartition::FromRowSplits(Ints({0, 4, 4, 7}))->WithDType(dtype);
    std::string name(NameOf(dtype));
    EXPECT_EQ(partition.nrows(), 3);
    EXPECT_EQ(partition.nvals(), 7);
    EXPECT_EQ(partition.dtype(), dtype);
    EXPECT_EQ(Text(*partition.RowLengths()), name + "[3] [4, 0, 3]");
    EXPECT_EQ(Text(partition.RowStarts()), name + "[3] [0, 4, 4]");
    EXPECT_EQ(Text(partition.RowLimits()), name + "[3] [4, 4, 7]");
    EXPECT_EQ(Text(*partition.ValueRowIds()), name + "[7] [0, 0, 0, 0, 2, 2, 2]");
    EXPECT_EQ(Text(*partition.OffsetsInRows()), name + "[7] [0, 1, 2, 3, 0, 1, 2]");
    EXPECT_EQ(partition.spec(), (RowPartitionSpec{3, 7, kUnknownDim, dtype}));
  }
  RowPartition none = *RowPartition::FromRowSplits(Ints({0}));
  EXPECT_EQ(Text(none.RowStarts()), "int64[0] []");
  EXPECT_EQ(Text(none.RowLimits()), "int64[0] []");
  EXPECT_EQ(Text(*none.RowLengths()), "int64[0] []");
  EXPECT_EQ(Text(*none.ValueRowIds()), "int64[0] []");
}

TEST(RowPartitionTest, RejectsWithTheFacts) {
  using P = RowPartition;
  const Tensor matrix = Tensor::Of<int64_t>({1, 2}, {0, 1});
  const int64_t huge = int64_t{1} << 62;
  struct Case {
    StatusOr<P> partition;
    const char *reason, *message;
  } const cases[] = {
      {P::FromRowSplits(Tensor::Of<float>({2}, {0, 1})), "DTYPE_MISMATCH",
       "!! expected row splits of int32 or int64, found `float32`"},
      {P::FromRowSplits(matrix), "ROW_SPLITS",
       "!! row_splits: expected a vector, found shape `[1, 2]`"},
      {P::FromRowSplits(Ints({})), "ROW_SPLITS",
       "!! row_splits: expected at least one entry, found none"},
      {P::FromRowSplits(Ints({2, 3})), "ROW_SPLITS",
       "!! row_splits: expected 0 as the first entry, found 2"},
      {P::FromRowSplits(Ints32({0, 3, 2})), "ROW_SPLITS",
       "!! row_splits decrease at row 1, from 3 to 2"},
      {P::FromRowLengths(Ints({3, -1})), "ROW_SPLITS",
       "!! length 1: expected at least 0, found -1"},
      {P::FromRowLengths(Ints({huge, huge})), "OUT_OF_RANGE",
       "!! lengths up to 1 add up to more than an int64 holds"},
      {P::FromRowLengths(Ints32({INT32_MAX, 1})), "OUT_OF_RANGE",
       "!! lengths up to 1 add up to more than an int32 holds"},
      {P::FromValueRowIds(Ints({-5, 2}), 10), "ROW_SPLITS",
       "!! row id 0: expected at least 0, found -5"},
      {P::FromValueRowIds(Ints({-5})), "ROW_SPLITS", "!! row id 0: expected at least 0, found -5"},
      {P::FromValueRowIds(Ints({4, 3}), 10), "ROW_SPLITS",
       "!! row id 1: expected at least 4, the previous id, found 3"},
      {P::FromValueRowIds(Ints({0, 4}), 4), "ROW_SPLITS",
       "!! row id 1: expected less than 4, the number of rows, found 4"},
      {P::FromValueRowIds(Ints({0}), -2), "ROW_SPLITS", "!! expected at least 0 rows, found -2"},
      {P::FromValueRowIds(Ints({huge})), "",
       "!! 4611686018427387904 rows by their ids exceed the limit of 268435456"},
      {P::FromRowStarts(matrix, 2), "ROW_SPLITS",
       "!! row_starts: expected a vector, found shape `[1, 2]`"},
      {P::FromRowStarts(Ints({2, 3}), 5), "ROW_SPLITS",
       "!! row_starts: expected 0 as the first entry, found 2"},
      {P::FromRowStarts(Ints({0, 3, 2}), 5), "ROW_SPLITS",
       "!! row_starts decrease at row 2, from 3 to 2"},
      {P::FromRowStarts(Ints({0, 5}), 4), "ROW_SPLITS", "!! row 1 starts at 5; there are 4 values"},
      {P::FromRowStarts(Ints({}), 4), "ROW_SPLITS",
       "!! row_starts: expected at least one entry for 4 values, found none"},
      {P::FromRowStarts(Ints({0}), -4), "ROW_SPLITS", "!! expected at least 0 values, found -4"},
      {P::FromRowStarts(Ints32({0}), huge), "OUT_OF_RANGE",
       "!! 4611686018427387904 values exceed the limit of int32 row splits, 2147483647"},
      {P::FromRowLimits(matrix), "ROW_SPLITS",
       "!! row_limits: expected a vector, found shape `[1, 2]`"},
      {P::FromRowLimits(Ints({-1, 3})), "ROW_SPLITS",
       "!! row_limits: expected at least 0 as the first entry, found -1"},
      {P::FromRowLimits(Ints({3, 1})), "ROW_SPLITS",
       "!! row_limits decrease at row 1, from 3 to 1"},
      {P::FromUniformRowLength(DType::kInt64, 6, 5), "ROW_SPLITS",
       "!! 5 values; 0 rows of length 6 have another number"},
      {P::FromUniformRowLength(DType::kInt64, 3, 6, 3), "ROW_SPLITS",
       "!! 6 values; 3 rows of length 3 have another number"},
      {P::FromUniformRowLength(DType::kInt64, 0, 5), "ROW_SPLITS",
       "!! 5 values; 0 rows of length 0 have another number"},
      {P::FromUniformRowLength(DType::kInt64, 3, {}), "ROW_SPLITS",
       "!! rows of length 3: expected the number of rows, of values, or both, found neither"},
      {P::FromUniformRowLength(DType::kInt64, -1, 0), "ROW_SPLITS",
       "!! expected rows of length 0 or more, found -1"},
      {P::FromUniformRowLength(DType::kInt64, 1, -1), "ROW_SPLITS",
       "!! expected at least 0 values, found -1"},
      {P::FromUniformRowLength(DType::kInt64, 0, 0, huge), "",
       "!! 4611686018427387904 rows of one length exceed the limit of 268435456"},
      {P::FromUniformRowLength(DType::kInt64, huge, {}, 4), "OUT_OF_RANGE",
       "!! 4 rows of length 4611686018427387904 have more values than an int64 counts"},
      {P::FromUniformRowLength(DType::kInt32, huge, {}, 1), "OUT_OF_RANGE",
       "!! 4611686018427387904 values exceed the limit of int32 row splits, 2147483647"},
      {P::FromUniformRowLength(DType::kString, 1, 1), "DTYPE_MISMATCH",
       "!! expected row splits of int32 or int64, found `string`"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Splits(c.partition), c.message);
    EXPECT_EQ(ReasonOf(c.partition.status()), c.reason) << c.message;
  }
}

TEST(RowPartitionTest, ViewsOfValuesThatAreNotThereAreRejected) {
  RowPartition partition = *RowPartition::FromRowSplits(Ints({0, int64_t{1} << 50}));
  EXPECT_EQ(partition.ValueRowIds().status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(partition.OffsetsInRows().status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(partition.WithDType(DType::kInt32).status().code(), absl::StatusCode::kOutOfRange);
}

TEST(RowPartitionTest, MergesWhatIsTheSame) {
  RowPartition splits = *RowPartition::FromRowSplits(Ints({0, 3, 6}));
  RowPartition narrow = *RowPartition::FromRowLengths(Ints32({3, 3}));
  RowPartition uniform = *RowPartition::FromUniformRowLength(DType::kInt32, 3, 6);
  EXPECT_EQ(Splits(splits.MergeWith(uniform)), "int64[3] [0, 3, 6] uniform 3");
  EXPECT_EQ(Splits(uniform.MergeWith(splits)), "int64[3] [0, 3, 6] uniform 3");
  EXPECT_EQ(Splits(narrow.MergeWith(uniform)), "int32[3] [0, 3, 6] uniform 3");
  EXPECT_EQ(Splits(splits.MergeWith(splits)), "int64[3] [0, 3, 6]");
  EXPECT_EQ(Splits(splits.MergeWith(*RowPartition::FromRowLengths(Ints({3, 4})))),
            "!! row 1: expected the same number of values, found 3 and 4");
  EXPECT_EQ(Splits(splits.MergeWith(*RowPartition::FromRowLengths(Ints({3})))),
            "!! expected the same number of rows, found 2 and 1");
}

std::string Partitions(std::string_view value, int rank) {
  auto partitions = PartitionsOf(*ParseValue(value), rank);
  if (!partitions.ok()) return Cat("!! ", MessageOf(partitions.status()));
  std::string out;
  for (const RowPartition& partition : *partitions) out.append(Splits(partition)).append("; ");
  return out;
}

TEST(PartitionsOfTest, DenseDimensionsAreUniform) {
  const std::string ragged = "ragged int8[?, (?), 2] [[[1, 2]], [[3, 4], [5, 6]]]";
  EXPECT_EQ(Partitions(ragged, 1), "");
  EXPECT_EQ(Partitions(ragged, 2), "int64[3] [0, 1, 3]; ");
  EXPECT_EQ(Partitions(ragged, 3), "int64[3] [0, 1, 3]; int64[4] [0, 2, 4, 6] uniform 2; ");
  EXPECT_EQ(Partitions(ragged, 4),
            "!! the first 4 dimensions of `ragged int8[?, (?), 2]`; it has 3");
  EXPECT_EQ(Partitions("ragged int8[2, (1)] [[1], [2]]", 2), "int64[3] [0, 1, 2] uniform 1; ");
  EXPECT_EQ(Partitions("int8[2, 1] [[1], [2]]", 2), "int64[3] [0, 1, 2] uniform 1; ");
  EXPECT_EQ(Partitions("int8[] 1", 0), "");
  EXPECT_EQ(Partitions("[[{a: int8[]}]] [[{a: 1}], []]", 2), "int64[3] [0, 1, 1]; ");
  EXPECT_EQ(Partitions("{a: int8[]} {a: 1}", 0), "");
  EXPECT_EQ(Partitions("3", 0), "!! expected a tensor, a ragged value, or a structure, found `3`");
  EXPECT_EQ(PartitionsOfShape({5, 8, 3}, 3)->back().nvals(), 120);
  EXPECT_EQ(PartitionsOfShape({int64_t{1} << 60, 0}, 2).status().code(),
            absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace signet
