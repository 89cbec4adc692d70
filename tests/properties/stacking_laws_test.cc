// The laws of batches, on 10,000 random values of every kind: batches of them come apart again, are
// the stacks of their boxes, and are joined and split as lists of values are.

#include <gtest/gtest.h>

#include "core/types/stacking.h"
#include "core/values/builders/value_notation.h"
#include "signet/ops/batching.h"
#include "signet/ops/run_op.h"
#include "tests/properties/values_random.h"

namespace signet {
namespace {

// Whether a batch of such values shows how many they are.
bool HasRows(const TypeSpec& spec) {
  if (spec.shape() != nullptr) return true;
  return std::any_of(spec.children().begin(), spec.children().end(), HasRows);
}

// `spec` without what a batch cannot give back: sizes behind ragged rows, which values without rows
// do not tell; and int32 row splits in structures, which are int64 where they share dimensions.
TypeSpec Batchable(const TypeSpec& spec, bool in_structure = false) {
  PartialShape shape = spec.shape() == nullptr ? PartialShape() : *spec.shape();
  if (const auto* ragged = spec.As<RaggedSpec>()) {
    const int rank = shape.has_rank() ? shape.rank() : 0;
    for (int axis = ragged->ragged_rank() + 1; axis < rank; ++axis) {
      if (shape.dim(axis) == kUnknownDim) shape = shape.WithDim(axis, 2);
    }
    DType splits = in_structure ? DType::kInt64 : ragged->splits_dtype();
    return *MakeRaggedType(ragged->dtype(), std::move(shape), ragged->ragged_rank(), splits);
  }
  std::vector<TypeSpec> children;
  for (const TypeSpec& child : spec.children()) {
    children.push_back(Batchable(child, in_structure || spec.is(TypeKind::kStructured)));
  }
  return *spec.rep().Rebuild(std::move(shape), std::move(children));
}

std::string Shown(const StatusOr<Value>& value) {
  return value.ok() ? ToString(*value, 64) : value.status().ToString();
}

::testing::AssertionResult Are(const StatusOr<Value>& found, const Value& expected) {
  if (found.ok() && SameValue(*found, expected)) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure()
         << "expected " << ToString(expected, 64) << "\nfound " << Shown(found);
}

class StackingLawsTest : public ::testing::Test {
 protected:
  Value Make(const TypeSpec& spec) {
    ValueBuilder builder = *ValueBuilder::Make(spec);
    Status status = random_.Fill(spec, builder);
    EXPECT_TRUE(status.ok()) << spec.ToString() << ": " << status;
    return *builder.Finish();
  }

  // Checks what holds of these values, in this order.
  void Check(const TypeSpec& element, const std::vector<Value>& values) {
    auto made = Batch(element, values);
    ASSERT_TRUE(made.ok()) << made.status();
    const Value& batch = *made;
    auto count = static_cast<int64_t>(values.size());
    auto valid = MakeValue(batch.spec(), {batch.components().begin(), batch.components().end()});
    ASSERT_TRUE(valid.ok()) << Shown(made) << ": " << valid.status();
    ASSERT_TRUE(IsSubtype(batch.spec(), *StackedType(element, count))) << batch.spec().ToString();

    auto back = Unbatch(batch);
    ASSERT_TRUE(back.ok()) << Shown(made) << ": " << back.status();
    ASSERT_EQ(back->size(), values.size());
    for (size_t i = 0; i < values.size(); ++i) ASSERT_TRUE(Are((*back)[i], values[i]));

    CheckParts(element, values, batch);
    if (count > 0) CheckBoxes(element, values, batch);
  }

  // Batches of some, joined; and a batch in pieces, joined.
  void CheckParts(const TypeSpec& element, const std::vector<Value>& values, const Value& batch) {
    auto cut = values.begin() + random_.Below(static_cast<int>(values.size()) + 1);
    std::vector<Value> parts = {*Batch(element, {values.begin(), cut}),
                                *Batch(element, {cut, values.end()})};
    ASSERT_TRUE(Are(ConcatBatches(parts), batch));
    auto pieces = SplitBatches(batch, 1 + random_.Below(3), /*drop_remainder=*/false);
    ASSERT_TRUE(pieces.ok()) << pieces.status();
    if (pieces->empty()) return;
    ASSERT_TRUE(Are(ConcatBatches(*pieces), batch));
  }

  // Stack(Box(v)) is the boxes of the batch, whichever way they are put together.
  void CheckBoxes(const TypeSpec& element, const std::vector<Value>& values, const Value& batch) {
    std::vector<Boxed> boxes;
    for (const Value& value : values) {
      boxes.push_back(*Boxed::Box(element, value));
      ASSERT_TRUE(Are(boxes.back().Unbox(), value));
    }
    auto stacked = Boxed::Stack(boxes);
    ASSERT_TRUE(stacked.ok()) << stacked.status();
    ASSERT_TRUE(Are(stacked->Unbox(), batch));
    auto boxed = Boxed::BoxBatch(element, batch);
    ASSERT_TRUE(boxed.ok()) << boxed.status();
    std::vector<Value> columns = boxed->columns();
    std::vector<Value> others = stacked->columns();
    ASSERT_EQ(columns.size(), BoxedLayout(element).size());
    ASSERT_EQ(columns.size(), others.size());
    for (size_t i = 0; i < columns.size(); ++i) ASSERT_TRUE(Are(columns[i], others[i]));
    auto apart = boxed->Unstack();
    ASSERT_TRUE(apart.ok()) << apart.status();
    for (size_t i = 0; i < values.size(); ++i) ASSERT_TRUE(Are((*apart)[i].Unbox(), values[i]));
  }

  RandomValues random_;
};

TEST_F(StackingLawsTest, HoldOfRandomValues) {
  for (int values = 0; values < 10'000;) {
    TypeSpec element = Batchable(random_.Type(2));
    if (!HasRows(element)) continue;
    std::vector<Value> some;
    for (int n = random_.Below(6); n > 0; --n) some.push_back(Make(element));
    SCOPED_TRACE(Cat(some.size(), " values of `", element, "`"));
    ASSERT_NO_FATAL_FAILURE(Check(element, some));
    values += static_cast<int>(some.size());
  }
}

// Of tensors, ragged values and structures the op `stack` makes the same.
TEST_F(StackingLawsTest, AnOpStacksAsBatchesAreMade) {
  for (int i = 0; i < 1000; ++i) {
    TypeSpec element = Batchable(random_.Type(1));
    if (element.shape() == nullptr) continue;
    SCOPED_TRACE(element.ToString());
    std::vector<Value> some = {Make(element), Make(element)};
    auto stacked = RunOp("stack", some);
    ASSERT_TRUE(stacked.ok()) << stacked.status();
    ASSERT_TRUE(Are((*stacked)[0], *Batch(element, some)));
    auto apart = RunOp("unstack", *stacked);
    ASSERT_TRUE(apart.ok()) << apart.status();
    ASSERT_EQ(apart->size(), some.size());
  }
}

}  // namespace
}  // namespace signet
