// Laws of row partitions: each view makes the same partition again, and all views agree with the
// plainest way to count.

#include <gtest/gtest.h>

#include "signet/row_partition.h"
#include "tests/properties/values_random.h"

namespace signet {
namespace {

template <class T>
Tensor Vector(const std::vector<int64_t>& values) {
  std::vector<T> narrow(values.begin(), values.end());
  return Tensor::Of<T>({static_cast<int64_t>(narrow.size())}, narrow);
}

Tensor Vector(DType dtype, const std::vector<int64_t>& values) {
  return dtype == DType::kInt32 ? Vector<int32_t>(values) : Vector<int64_t>(values);
}

TEST(RowPartitionLawsTest, EveryViewMakesThePartitionAgain) {
  RandomValues random;
  for (int i = 0; i < 2000; ++i) {
    DType dtype = random.Chance(2) ? DType::kInt32 : DType::kInt64;
    bool is_uniform = random.Chance(4);
    int64_t length = random.Below(4);
    std::vector<int64_t> splits = {0}, lengths, ids, offsets;
    for (int rows = random.Below(6); rows > 0; --rows) {
      lengths.push_back(is_uniform ? length : random.Below(4));
      for (int64_t k = 0; k < lengths.back(); ++k) {
        ids.push_back(static_cast<int64_t>(lengths.size()) - 1);
        offsets.push_back(k);
      }
      splits.push_back(static_cast<int64_t>(ids.size()));
    }
    auto nrows = static_cast<int64_t>(lengths.size());
    auto nvals = static_cast<int64_t>(ids.size());
    auto partition = RowPartition::FromRowSplits(Vector(dtype, splits));
    ASSERT_TRUE(partition.ok()) << partition.status();

    EXPECT_TRUE(SameTensor(*partition->RowLengths(), Vector(dtype, lengths)));
    EXPECT_TRUE(SameTensor(*partition->ValueRowIds(), Vector(dtype, ids)));
    EXPECT_TRUE(SameTensor(*partition->OffsetsInRows(), Vector(dtype, offsets)));
    for (const auto& again : {RowPartition::FromRowLengths(*partition->RowLengths()),
                              RowPartition::FromValueRowIds(*partition->ValueRowIds(), nrows),
                              RowPartition::FromRowStarts(partition->RowStarts(), nvals),
                              RowPartition::FromRowLimits(partition->RowLimits())}) {
      ASSERT_TRUE(again.ok()) << again.status();
      EXPECT_TRUE(SameTensor(again->row_splits(), partition->row_splits()));
      EXPECT_EQ(again->spec(), partition->spec());
      EXPECT_FALSE(again->uniform_row_length());
      EXPECT_TRUE(partition->MergeWith(*again).ok());
    }
    if (!is_uniform) continue;
    auto uniform = RowPartition::FromUniformRowLength(dtype, length, nvals, nrows);
    ASSERT_TRUE(uniform.ok()) << uniform.status();
    EXPECT_EQ(partition->MergeWith(*uniform)->uniform_row_length(), length);
  }
}

TEST(RowPartitionLawsTest, WhatIsMadeIsOfItsType) {
  RandomValues random;
  for (int i = 0; i < 2000; ++i) {
    auto size = [&] { return random.Chance(2) ? kUnknownDim : random.Below(5); };
    auto spec = RowPartitionSpec::Make({size(), size(), size()});
    if (!spec.ok()) continue;
    EXPECT_EQ(*RowPartitionSpec::Make(*spec), *spec);  // nothing more follows
    EXPECT_TRUE(IsCompatible(*spec, *spec));
    auto made = RowPartition::FromUniformRowLength(DType::kInt64, random.Below(4), std::nullopt,
                                                   random.Below(4));
    RowPartitionSpec own = made->spec();
    EXPECT_EQ(*RowPartitionSpec::Make(own), own);
    RowPartitionSpec joined = *CommonSupertype(*spec, own);
    EXPECT_TRUE(IsCompatible(joined, own)) << joined.ToString() << " " << own.ToString();
    EXPECT_TRUE(IsCompatible(joined, *spec)) << joined.ToString() << " " << spec->ToString();
  }
}

}  // namespace
}  // namespace signet
