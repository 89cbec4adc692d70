// RowLayout joins and splits random values of every kind as ConcatBatches does.

#include <gtest/gtest.h>

#include "core/serving/batching/row_layout.h"
#include "core/values/builders/value_notation.h"
#include "signet/ops/batching.h"
#include "tests/properties/values_random.h"

namespace signet {
namespace {

class BatchingPropertyTest : public ::testing::Test {
 protected:
  // Returns a batch of `count` random values, or nothing if such values have no batch.
  std::optional<Value> MakeBatch(const TypeSpec& element, int count) {
    std::vector<Value> values;
    for (int i = 0; i < count; ++i) {
      ValueBuilder builder = *ValueBuilder::Make(element);
      if (!random_.Fill(element, builder).ok()) return std::nullopt;
      auto value = builder.Finish();
      if (!value.ok()) return std::nullopt;
      values.push_back(*std::move(value));
    }
    auto batch = Batch(element, values);
    if (!batch.ok()) return std::nullopt;
    return *std::move(batch);
  }

  RandomValues random_;
};

TEST_F(BatchingPropertyTest, JoinsAsConcatAndSplitsAgain) {
  int joined_values = 0;
  for (int round = 0; round < 6000; ++round) {
    const TypeSpec element = random_.Type(2);
    std::vector<Value> batches;
    for (int i = 1 + random_.Below(3); i > 0; --i) {
      auto batch = MakeBatch(element, 1 + random_.Below(3));
      if (batch) batches.push_back(*std::move(batch));
    }
    if (batches.empty()) continue;
    auto layout = RowLayout::Make(batches[0].spec(), nullptr);
    if (!layout.ok()) continue;  // only plain values
    std::vector<RowLayout::Parts> parts;
    std::vector<int64_t> rows;
    for (const Value& batch : batches) {
      parts.push_back(batch.components());
      auto count = layout->CountRows(batch.components());
      ASSERT_TRUE(count) << ToString(batch, 64);
      rows.push_back(*count);
    }
    auto joined = layout->Join(parts);
    auto expected = ConcatBatches(batches);
    if (!joined.ok()) {
      // Sizes after the rows differ.
      bool has_one_type = true;
      for (const Value& batch : batches) {
        has_one_type &=
            *RowLayout::WithOpenRows(batch.spec()) == *RowLayout::WithOpenRows(batches[0].spec());
      }
      ASSERT_FALSE(has_one_type) << joined.status() << "\n" << ToString(batches[0], 64);
      continue;
    }
    ++joined_values;
    if (expected.ok()) {
      ASSERT_EQ(joined->size(), expected->components().size());
      for (size_t i = 0; i < joined->size(); ++i) {
        ASSERT_TRUE(SameTensor((*joined)[i], expected->components()[i]))
            << element.ToString() << ", component " << i << " of " << ToString(*expected, 64);
      }
    }
    auto split = layout->Split(*joined, rows);
    ASSERT_TRUE(split.ok()) << split.status();
    for (size_t i = 0; i < batches.size(); ++i) {
      const Value part = Value::Trusted(batches[i].spec(), (*split)[i]);
      ASSERT_TRUE(SameValue(part, batches[i]))
          << "expected " << ToString(batches[i], 64) << "\nfound " << ToString(part, 64);
    }
  }
  EXPECT_GT(joined_values, 1000);
}

}  // namespace
}  // namespace signet
