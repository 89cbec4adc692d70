// Laws of ops that pick. Row by row they are themselves, of one dimension less; what they do to the
// first dimension is said in terms of elements, whose own laws are those of indexing.

#include <gtest/gtest.h>

#include "core/values/builders/value_notation.h"
#include "signet/ops/indexing.h"
#include "signet/ops/run_op.h"
#include "tests/properties/values_random.h"

namespace signet {
namespace {

// What is written of a value behind its type.
std::string Data(const Value& value) {
  return ToString(value).substr(value.spec().ToString().size() + 1);
}

int RankOf(const Value& value) { return value.spec().shape()->rank(); }

bool HasRows(const TypeSpec& spec) {
  bool fits =
      spec.is(TypeKind::kTensor) || spec.is(TypeKind::kRagged) || spec.is(TypeKind::kStructured);
  return fits && spec.shape()->has_rank() && spec.shape()->rank() > 0;
}

// A value with rows; no value when the lists drawn do not fit together.
Value AnyRows(RandomValues& random) {
  TypeSpec type = random.Type(2);
  if (!HasRows(type)) return {};
  auto builder = ValueBuilder::Make(type);
  if (!builder.ok() || !random.Fill(type, *builder).ok()) return {};
  auto value = builder->Finish();
  return value.ok() ? *std::move(value) : Value();
}

std::vector<Value> ElementsOf(const Value& value) {
  std::vector<Value> elements;
  while (true) {
    auto element = GetItem(value, {static_cast<int64_t>(elements.size())});
    if (!element.ok()) return elements;
    elements.push_back(*std::move(element));
  }
}

std::string Bracketed(std::span<const std::string> elements) {
  return Cat("[", Join(elements, ", "), "]");
}

// What `leaf` gives, in the rows of the first `depth` dimensions of `x`.
template <class Leaf>
std::string InRows(const Value& x, int depth, Leaf leaf) {
  std::vector<std::string> parts;
  for (const Value& element : ElementsOf(x)) {
    parts.push_back(depth == 1 ? leaf(element) : InRows(element, depth - 1, leaf));
  }
  return Bracketed(parts);
}

// A value of `dtype` and `rank`: a vector, or ragged.
Value Written(std::string_view dtype, int rank, const std::string& data) {
  std::string type = rank == 1 ? Cat(dtype, "[?]") : Cat("ragged ", dtype, "[?");
  for (int dim = 1; dim < rank; ++dim) type += ", (?)";
  auto value = ParseValue(Cat(type, rank == 1 ? " " : "] ", data));
  EXPECT_TRUE(value.ok()) << value.status();
  return *std::move(value);
}

Value AnyMask(RandomValues& random, const Value& x, int depth) {
  auto leaf = [&](const Value&) { return std::string(random.Chance(2) ? "True" : "False"); };
  return Written("bool", depth, InRows(x, depth, leaf));
}

std::string Rows(const StatusOr<Value>& value) {
  if (!value.ok()) return std::string(MessageOf(value.status()));
  return Data(*value);
}

StatusOr<Value> Gather(const Value& x, const Value& indices, int axis, int batch_dims) {
  return RunOp1("gather", {x, indices},
                Attributes({{"axis", AttributeOf(axis)}, {"batch_dims", AttributeOf(batch_dims)}}));
}

TEST(PickingLawsTest, GatherGivesElements) {
  RandomValues random;
  int tried = 0;
  for (int i = 0; i < 2000; ++i) {
    Value x = AnyRows(random);
    if (!x) continue;
    std::vector<Value> elements = ElementsOf(x);
    std::vector<std::string> indices;
    std::vector<std::string> expected;
    for (int k = random.Below(4); k > 0 && !elements.empty(); --k) {
      int index = random.Below(static_cast<int>(elements.size()));
      indices.push_back(Cat(index));
      expected.push_back(Data(elements[static_cast<size_t>(index)]));
    }
    ++tried;
    auto picked = RunOp1("gather", {x, Written("int64", 1, Bracketed(indices))});
    ASSERT_EQ(Rows(picked), Bracketed(expected)) << ToString(x) << " by " << Bracketed(indices);
  }
  EXPECT_GT(tried, 300);
}

// Along an inner axis, or in batches, each row is picked from alone.
TEST(PickingLawsTest, GatherGoesRowByRow) {
  RandomValues random;
  int tried = 0;
  for (int i = 0; i < 6000; ++i) {
    Value x = AnyRows(random);
    if (!x || RankOf(x) < 2) continue;
    int axis = 1 + random.Below(RankOf(x) - 1);
    int batch_dims = random.Below(axis + 1);
    // Batches of the rows of x, each of no, one or two indices, of which the first is there mostly.
    auto some = [&](const Value&) { return std::string(random.Chance(3) ? "[]" : "[0, 0]"); };
    Value indices = batch_dims == 0 ? Written("int32", 1, random.Chance(2) ? "[0]" : "[0, 0]")
                                    : Written("int32", batch_dims + 1, InRows(x, batch_dims, some));
    SCOPED_TRACE(Cat(ToString(x), " by ", ToString(indices), " along ", axis, ", ", batch_dims));
    auto picked = Gather(x, indices, axis, batch_dims);
    if (!picked.ok()) {  // a row without elements
      ASSERT_EQ(picked.status().code(), absl::StatusCode::kOutOfRange) << picked.status();
      continue;
    }
    std::vector<std::string> expected;
    for (const Value& row : ElementsOf(x)) {
      Value own = indices;
      if (batch_dims > 0) own = *GetItem(indices, {static_cast<int64_t>(expected.size())});
      auto alone = Gather(row, own, axis - 1, std::max(0, batch_dims - 1));
      // A dense row rejects a missing index even if nothing is picked from the row.
      if (!alone.ok() && alone.status().code() == absl::StatusCode::kOutOfRange) break;
      expected.push_back(Rows(alone));
    }
    if (expected.size() < ElementsOf(x).size()) continue;
    ++tried;
    ASSERT_EQ(Data(*picked), Bracketed(expected));
  }
  EXPECT_GT(tried, 100);
}

TEST(PickingLawsTest, MasksKeepElementsInTheirRows) {
  RandomValues random;
  int tried = 0;
  for (int i = 0; i < 3000; ++i) {
    Value x = AnyRows(random);
    if (!x) continue;
    int depth = 1 + random.Below(RankOf(x));
    Value mask = AnyMask(random, x, depth);
    SCOPED_TRACE(Cat(ToString(x), " by ", ToString(mask)));
    ++tried;
    std::vector<Value> rows = ElementsOf(x);
    std::vector<Value> kept = ElementsOf(mask);
    std::vector<std::string> expected;
    for (size_t k = 0; k < rows.size(); ++k) {
      if (depth > 1) {
        expected.push_back(Rows(RunOp1("boolean_mask", {rows[k], kept[k]})));
      } else if (Data(kept[k]) == "True") {
        expected.push_back(Data(rows[k]));
      }
    }
    ASSERT_EQ(Rows(RunOp1("boolean_mask", {x, mask})), Bracketed(expected));
  }
  EXPECT_GT(tried, 300);
}

// Of rows, and of elements; and what a mask keeps is what stands where it holds.
TEST(PickingLawsTest, WhereChoosesAndFinds) {
  RandomValues random;
  int tried = 0;
  for (int i = 0; i < 3000; ++i) {
    Value x = AnyRows(random);
    if (!x) continue;
    ++tried;
    Value mask = AnyMask(random, x, 1);
    Value y = *RunOp1("random_shuffle", {x, Tensor::Scalar(int64_t{i})});
    std::vector<std::string> expected;
    std::vector<Value> from[] = {ElementsOf(y), ElementsOf(x)};
    for (const Value& holds : ElementsOf(mask)) {
      expected.push_back(Data(from[Data(holds) == "True" ? 1 : 0][expected.size()]));
    }
    ASSERT_EQ(Rows(RunOp1("where", {mask, x, y})), Bracketed(expected)) << ToString(x);

    Value all = AnyMask(random, x, RankOf(x));
    ASSERT_EQ(Rows(RunOp1("where", {all, x, x})), Data(x));
    Value places = *RunOp1("where", {all});
    std::vector<std::string> found;
    for (const Value& place : ElementsOf(places)) {
      std::vector<IndexKey> keys;
      for (const Value& index : ElementsOf(place)) {
        keys.emplace_back(index.tensor().scalar<int64_t>());
      }
      EXPECT_EQ(Data(*GetItem(all, keys)), "True");
      found.push_back(Data(*GetItem(x, keys)));
    }
    ASSERT_EQ(Rows(RunOp1("gather_nd", {x, places})), Bracketed(found)) << ToString(x);
  }
  EXPECT_GT(tried, 300);
}

TEST(PickingLawsTest, RaggedValuesComeBackFromDenseAndSparseOnes) {
  RandomValues random;
  int tried = 0;
  for (int i = 0; i < 10000; ++i) {
    Value x = AnyRows(random);
    const auto* ragged = x ? x.spec().As<RaggedSpec>() : nullptr;
    if (ragged == nullptr || ragged->ragged_rank() == 0) continue;
    ++tried;
    std::vector<Value> lengths;
    for (int axis = 1; axis <= ragged->ragged_rank(); ++axis) {
      Value splits = *RunOp1("ragged_row_splits", {x}, Attributes({{"axis", AttributeOf(axis)}}));
      lengths.push_back(*RunOp1("row_lengths", {splits}));
    }
    auto dense = RunOp1("ragged_to_dense", {x});
    ASSERT_TRUE(dense.ok()) << dense.status();
    ASSERT_EQ(Rows(RunOp1("ragged_from_dense", {*dense, ListOf(lengths)})), Data(x));
    auto sparse = RunOp1("ragged_to_sparse", {x});
    ASSERT_TRUE(sparse.ok()) << sparse.status();
    if (RankOf(x) == 2) {
      ASSERT_EQ(Rows(RunOp1("ragged_from_sparse", {*sparse})), Data(x));
    }
  }
  EXPECT_GT(tried, 100);
}

}  // namespace
}  // namespace signet
