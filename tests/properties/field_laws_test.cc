// Laws of ops on dimensions and on fields. Those on dimensions are told by the elements of a value;
// those on fields by single structures, for to each row they do what they do to it alone.

#include <gtest/gtest.h>

#include "signet/ops/structured.h"
#include "tests/properties/rows_random.h"

namespace signet {
namespace {

int RankOf(const Value& x) { return x.spec().shape()->rank(); }

TEST(DimensionLawsTest, MergingJoinsTheElementsOfElements) {
  RandomValues random;
  int tried = 0;
  for (int i = 0; i < 10000; ++i) {
    Value x = AnyRows(random);
    if (!x || RankOf(x) < 2) continue;
    ++tried;
    SCOPED_TRACE(ToString(x));
    int outer = random.Below(RankOf(x) - 1);
    int inner = outer + 1 + random.Below(RankOf(x) - outer - 1);
    auto merged = MergeDims(x, outer, inner);
    ASSERT_TRUE(merged.ok()) << merged.status();
    std::vector<std::string> expected;
    for (const Value& element : ElementsOf(x)) {
      // The dimensions of an element, or those of its elements and then the outermost two.
      StatusOr<Value> part = element;
      if (outer > 0) part = MergeDims(element, outer - 1, inner - 1);
      if (outer == 0 && inner > 1) part = MergeDims(element, 0, inner - 1);
      ASSERT_TRUE(part.ok()) << part.status();
      if (outer > 0) {
        expected.push_back(Data(*part));
        continue;
      }
      for (const Value& each : ElementsOf(*part)) expected.push_back(Data(each));
    }
    ASSERT_EQ(Data(*merged), Cat("[", Join(expected, ", "), "]")) << outer << " to " << inner;
  }
  EXPECT_GT(tried, 500);
}

TEST(DimensionLawsTest, WhatIsAddedGoesAgain) {
  RandomValues random;
  int tried = 0;
  for (int i = 0; i < 5000; ++i) {
    Value x = AnyRows(random);
    if (!x) continue;
    ++tried;
    SCOPED_TRACE(ToString(x));
    int axis = random.Below(RankOf(x) + 1);
    auto expanded = ExpandDims(x, axis);
    ASSERT_TRUE(expanded.ok()) << expanded.status();
    const int64_t axes[] = {axis};
    auto squeezed = Squeeze(*expanded, axes);
    ASSERT_TRUE(squeezed.ok()) << squeezed.status();
    EXPECT_EQ(Data(*squeezed), Data(x)) << "axis " << axis;

    auto rows = static_cast<int64_t>(ElementsOf(x).size());
    std::vector<int64_t> splits = {0};
    while (splits.back() < rows || random.Chance(2)) {
      splits.push_back(splits.back() + random.Below(static_cast<int>(rows - splits.back()) + 1));
    }
    auto partition = RowPartition::FromRowSplits(Tensor::Of<int64_t>(
        {static_cast<int64_t>(splits.size())}, std::span<const int64_t>(splits)));
    ASSERT_TRUE(partition.ok()) << partition.status();
    auto divided = PartitionOuterDimension(x, *partition);
    ASSERT_TRUE(divided.ok()) << divided.status();
    EXPECT_EQ(ElementsOf(*divided).size(), splits.size() - 1);
    auto merged = MergeDims(*divided, 0, 1);
    ASSERT_TRUE(merged.ok()) << merged.status();
    EXPECT_EQ(Data(*merged), Data(x));
  }
  EXPECT_GT(tried, 500);
}

// Fields.

void AppendPaths(const TypeSpec& type, const FieldPath& to, std::vector<FieldPath>& paths) {
  const auto* structured = type.As<StructuredSpec>();
  if (structured == nullptr) return;
  for (const std::string& name : structured->field_names()) {
    FieldPath path = to;
    path.push_back(name);
    paths.push_back(path);
    AppendPaths(structured->LookupField(name), path, paths);
  }
}

FieldPath AnyPath(RandomValues& random, const Value& x) {
  std::vector<FieldPath> paths;
  AppendPaths(x.spec(), {}, paths);
  if (paths.empty() || random.Chance(20)) return {"none"};
  return paths[static_cast<size_t>(random.Below(static_cast<int>(paths.size())))];
}

using FieldOp = std::function<StatusOr<Value>(const Value& x)>;

// An op that fits `x`, mostly; it calls what it makes `made`.
FieldOp AnyFieldOp(RandomValues& random, const Value& x) {
  FieldPath path = AnyPath(random, x);
  FieldPath other = random.Chance(3) ? FieldPath() : AnyPath(random, x);
  switch (random.Below(6)) {
    case 0:
      return [=](const Value& y) { return Promote(y, path, "made"); };
    case 1:
      return [=](const Value& y) { return BroadcastField(y, path, "y", "made"); };
    case 2:
      return [=](const Value& y) { return PromoteAndBroadcast(y, path, other, "made"); };
    case 3:
      return [=](const Value& y) { return FieldSizes(y, path, "made"); };
    case 4:
      return [=](const Value& y) { return HasField(y, path, "made"); };
    default:
      return [=](const Value& y) { return Without(y, std::vector<FieldPath>{path}); };
  }
}

TEST(FieldLawsTest, RowsAreDoneAloneAsTogether) {
  RandomValues random;
  int done = 0;
  for (int i = 0; i < 20000; ++i) {
    Value x = AnyRows(random);
    if (!x || !x.spec().is(TypeKind::kStructured)) continue;
    SCOPED_TRACE(ToString(x));
    FieldOp op = AnyFieldOp(random, x);
    auto together = op(x);
    std::vector<Value> rows = ElementsOf(x);
    std::vector<std::string> expected;
    for (const Value& row : rows) {
      auto alone = op(row);
      ASSERT_EQ(alone.status().code(), together.status().code())
          << alone.status() << together.status();
      if (alone.ok()) expected.push_back(Data(*alone));
    }
    if (!together.ok()) continue;
    ++done;
    ASSERT_EQ(Data(*together), Cat("[", Join(expected, ", "), "]"));
  }
  EXPECT_GT(done, 500);
}

// What is written of all structures in `x`, one after the other.
std::vector<std::string> Elements(const Value& x, int rank) {
  if (rank == 0) return {Data(x)};
  std::vector<std::string> all;
  for (const Value& element : ElementsOf(x)) {
    for (std::string& text : Elements(element, rank - 1)) all.push_back(std::move(text));
  }
  return all;
}

TEST(FieldLawsTest, OfOneStructure) {
  RandomValues random;
  int done = 0;
  for (int i = 0; i < 20000; ++i) {
    Value rows = AnyRows(random);
    if (!rows || !rows.spec().is(TypeKind::kStructured)) continue;
    Value x = rows;
    while (RankOf(x) > 0 && !ElementsOf(x).empty()) x = ElementsOf(x)[0];
    if (RankOf(x) > 0) continue;
    FieldPath path = AnyPath(random, x);
    auto field = FieldAt(x, path);
    if (!field.ok() || path.size() > 2) continue;
    SCOPED_TRACE(Cat(ToString(x), " at ", Join(path, ".")));
    ++done;
    if (path.size() == 2) {
      // Promoting merges what the structure between has dimensions of.
      auto parent = FieldOf(x, path[0]);
      ASSERT_TRUE(parent.ok());
      int inner = std::min(RankOf(*parent), RankOf(*field) - 1);
      auto merged = inner > 0 && RankOf(*parent) > 0 ? MergeDims(*field, 0, inner) : field;
      auto promoted = Promote(x, path, "made");
      ASSERT_TRUE(promoted.ok()) << promoted.status();
      ASSERT_TRUE(merged.ok()) << merged.status();
      EXPECT_EQ(Data(*FieldOf(*promoted, "made")), Data(*merged));
      continue;
    }
    // Broadcasting passes the whole field to each structure next to it.
    for (const std::string& into : FieldNamesOf(x)) {
      auto target = FieldOf(x, into);
      if (!target->spec().is(TypeKind::kStructured)) continue;
      auto broadcast = BroadcastField(x, path, into, "made");
      ASSERT_TRUE(broadcast.ok()) << broadcast.status();
      auto made = FieldAt(*broadcast, FieldPath{into, "made"});
      ASSERT_TRUE(made.ok()) << made.status();
      for (const std::string& each : Elements(*made, RankOf(*target))) {
        EXPECT_EQ(each, Data(*field)) << "into " << into;
      }
    }
    auto sized = FieldSizes(x, path, "made");
    ASSERT_TRUE(sized.ok()) << sized.status();
    size_t size = RankOf(*field) == 0 ? 1 : ElementsOf(*field).size();
    EXPECT_EQ(Data(*FieldOf(*sized, "made")), Cat(size));
  }
  EXPECT_GT(done, 300);
}

}  // namespace
}  // namespace signet
