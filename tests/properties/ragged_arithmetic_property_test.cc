// Ragged arithmetic: reductions, orders and broadcasting agree with plain loops over nested lists.

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>

#include <gtest/gtest.h>

#include "core/values/builders/value_notation.h"
#include "core/values/builders/value_writer.h"
#include "signet/ops/run_op.h"
#include "tests/properties/values_random.h"

namespace signet {
namespace {

// Nested lists of numbers.
struct Nest {
  std::optional<int64_t> number = {};
  std::vector<Nest> children = {};

  bool operator==(const Nest&) const = default;
};

class NestSink final : public ValueSink {
 public:
  void BeginList() override { open_.push_back(&Put({})); }
  void EndList() override { open_.pop_back(); }
  void Int(absl::int128 value) override { Put({.number = static_cast<int64_t>(value)}); }
  void BeginObject() override {}
  void Key(std::string_view) override {}
  void EndObject() override {}
  void Null() override {}
  void Bool(bool) override {}
  void Float(double, DType) override {}
  void String(std::string_view) override {}

  Nest Take() { return std::move(root_); }

 private:
  Nest& Put(Nest nest) {
    if (open_.empty()) return root_ = std::move(nest);
    open_.back()->children.push_back(std::move(nest));
    return open_.back()->children.back();
  }

  Nest root_;
  std::vector<Nest*> open_;  // which do not move: only the last grows
};

Nest NestOf(const Value& value) {
  NestSink sink;
  WriteValue(value, sink);
  return sink.Take();
}

Status Feed(const Nest& nest, ValueBuilder& builder) {
  if (nest.number) return builder.Int(*nest.number);
  SIGNET_RETURN_IF_ERROR(builder.BeginList());
  for (const Nest& child : nest.children) SIGNET_RETURN_IF_ERROR(Feed(child, builder));
  return builder.EndList();
}

Value ValueOf(const TypeSpec& type, const Nest& nest) {
  ValueBuilder builder = *ValueBuilder::Make(type);
  Status fed = Feed(nest, builder);
  EXPECT_TRUE(fed.ok()) << type.ToString() << fed;
  return *builder.Finish();
}

class RaggedArithmeticTest : public testing::Test {
 protected:
  // Lists nested `depth` deep, the last of them of `width` where it is at least 0.
  Nest AnyNest(int depth, int width = -1) {
    if (depth == 0) return {.number = random_.Below(19) - 9};
    Nest nest;
    for (int n = depth == 1 && width >= 0 ? width : random_.Below(4); n > 0; --n) {
      nest.children.push_back(AnyNest(depth - 1, width));
    }
    return nest;
  }

  RandomValues random_;
};

// Reductions.

using Combine = std::function<int64_t(const std::vector<int64_t>&)>;

struct NaiveReduction {
  int rank;
  int dense;  // the axis that is not ragged, or the rank
  int64_t width;
  std::set<int> axes;
  bool keepdims;
  Combine combine;

  // What is left of `group`, lists of dimension `dim` that come together.
  Nest Reduce(const std::vector<const Nest*>& group, int dim) const {
    if (dim == rank) {
      std::vector<int64_t> numbers;
      for (const Nest* nest : group) numbers.push_back(*nest->number);
      return {.number = combine(numbers)};
    }
    std::vector<const Nest*> inner;
    if (axes.contains(dim)) {
      for (const Nest* nest : group) {
        for (const Nest& child : nest->children) inner.push_back(&child);
      }
      Nest reduced = Reduce(inner, dim + 1);
      return keepdims ? Nest{.children = {reduced}} : reduced;
    }
    size_t length = dim == dense ? static_cast<size_t>(width) : 0;
    for (const Nest* nest : group) length = std::max(length, nest->children.size());
    Nest kept;
    for (size_t i = 0; i < length; ++i) {
      inner.clear();
      for (const Nest* nest : group) {
        if (i < nest->children.size()) inner.push_back(&nest->children[i]);
      }
      kept.children.push_back(Reduce(inner, dim + 1));
    }
    return kept;
  }
};

int64_t Sum(const std::vector<int64_t>& numbers) {
  int64_t sum = 0;
  for (int64_t number : numbers) sum += number;
  return sum;
}
int64_t Greatest(const std::vector<int64_t>& numbers) {
  int64_t greatest = INT64_MIN;
  for (int64_t number : numbers) greatest = std::max(greatest, number);
  return greatest;
}
int64_t Least(const std::vector<int64_t>& numbers) {
  int64_t least = INT64_MAX;
  for (int64_t number : numbers) least = std::min(least, number);
  return least;
}
TEST_F(RaggedArithmeticTest, ReductionsAreThoseOfLists) {
  const std::pair<const char*, Combine> kReductions[] = {
      {"reduce_sum", Sum}, {"reduce_max", Greatest}, {"reduce_min", Least}};
  for (int i = 0; i < 3000; ++i) {
    int ragged_rank = 1 + random_.Below(3);
    bool dense = random_.Chance(3);
    int rank = ragged_rank + 1 + dense;
    int64_t width = random_.Below(3);
    Nest nest = AnyNest(rank, dense ? static_cast<int>(width) : -1);
    PartialShape shape = PartialShape::OfRank(rank);
    if (dense) shape = shape.WithDim(rank - 1, width);
    DType splits = random_.Chance(4) ? DType::kInt32 : DType::kInt64;
    Value x = ValueOf(*MakeRaggedType(DType::kInt64, shape, ragged_rank, splits), nest);

    NaiveReduction naive{rank, dense ? rank - 1 : rank, width, {}, random_.Chance(2), {}};
    std::vector<int64_t> axes;
    for (int axis = 0; axis < rank; ++axis) {
      if (!random_.Chance(2)) continue;
      naive.axes.insert(axis);
      axes.push_back(random_.Chance(2) ? axis : axis - rank);
    }
    Attributes attributes({{"axes", AttributeOf(std::span<const int64_t>(axes))},
                           {"keepdims", AttributeOf(naive.keepdims)}});
    for (const auto& [op, combine] : kReductions) {
      SCOPED_TRACE(Cat(op, " ", attributes.ToString(), " ", ToString(x)));
      naive.combine = combine;
      auto reduced = RunOp1(op, {x}, attributes);
      ASSERT_TRUE(reduced.ok()) << reduced.status();
      EXPECT_EQ(NestOf(*reduced), naive.Reduce({&nest}, 0)) << ToString(*reduced);
    }
    // Means are whole numbers of 1/5040 here, except for means of no values.
    auto mean = RunOp1("reduce_mean", {x}, attributes);
    ASSERT_TRUE(mean.ok()) << mean.status();
    auto scaled = RunOp1("mul", {*mean, Value(Tensor::Scalar(5040.0))});
    auto rounded = RunOp1("round", {*scaled});
    auto whole = RunOp1("select", {*RunOp1("is_nan", {*rounded}), Tensor::Scalar(9e15), *rounded});
    auto numbers = RunOp1("cast", {*whole}, Attributes({{"dtype", AttributeOf(DType::kInt64)}}));
    ASSERT_TRUE(numbers.ok()) << numbers.status();
    naive.combine = [](const std::vector<int64_t>& n) {
      if (n.empty()) return int64_t{9'000'000'000'000'000};
      return static_cast<int64_t>(
          std::nearbyint(5040.0 * static_cast<double>(Sum(n)) / static_cast<double>(n.size())));
    };
    EXPECT_EQ(NestOf(*numbers), naive.Reduce({&nest}, 0)) << ToString(*mean);
  }
}

// Along one axis.

using Path = std::vector<size_t>;
using Numbers = std::map<Path, int64_t>;

void AddNumbers(const Nest& nest, Path& path, Numbers& out) {
  if (nest.number) out.emplace(path, *nest.number);
  for (size_t i = 0; i < nest.children.size(); ++i) {
    path.push_back(i);
    AddNumbers(nest.children[i], path, out);
    path.pop_back();
  }
}

Numbers NumbersOf(const Nest& nest) {
  Numbers out;
  Path path;
  AddNumbers(nest, path, out);
  return out;
}

TEST_F(RaggedArithmeticTest, OrdersAreThoseOfLines) {
  for (int i = 0; i < 3000; ++i) {
    int ragged_rank = 1 + random_.Below(3);
    bool dense = random_.Chance(3);
    int rank = ragged_rank + 1 + dense;
    Nest nest = AnyNest(rank, dense ? 2 : -1);
    PartialShape shape = PartialShape::OfRank(rank);
    if (dense) shape = shape.WithDim(rank - 1, 2);
    Value x = ValueOf(*MakeRaggedType(DType::kInt64, shape, ragged_rank), nest);
    int axis = random_.Below(rank);
    SCOPED_TRACE(Cat("axis ", axis, " ", ToString(x)));

    // The numbers that differ only in their place along the axis, by that place.
    std::map<Path, std::vector<std::pair<Path, int64_t>>> lines;
    for (const auto& [path, number] : NumbersOf(nest)) {
      Path line = path;
      line.erase(line.begin() + axis);
      lines[line].emplace_back(path, number);
    }
    Numbers sums, sorted, places;
    for (auto& [key, line] : lines) {
      int64_t sum = 0;
      for (const auto& [path, number] : line) sums[path] = sum += number;
      auto order = line;
      std::stable_sort(order.begin(), order.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
      for (size_t k = 0; k < line.size(); ++k) {
        sorted[line[k].first] = order[k].second;
        places[line[k].first] = static_cast<int64_t>(order[k].first[static_cast<size_t>(axis)]);
      }
    }
    Attributes along({{"axis", AttributeOf(axis)}});
    auto cumsum = RunOp1("cumsum", {x}, along);
    ASSERT_TRUE(cumsum.ok()) << cumsum.status();
    EXPECT_EQ(NumbersOf(NestOf(*cumsum)), sums);
    auto sort = RunOp("sort", std::vector<Value>{x}, along);
    ASSERT_TRUE(sort.ok()) << sort.status();
    EXPECT_EQ(NumbersOf(NestOf((*sort)[0])), sorted);
    EXPECT_EQ(NumbersOf(NestOf((*sort)[1])), places);
    auto argmin = RunOp1("argmin", {x}, along);
    if (!argmin.ok()) continue;  // a row is empty
    for (const auto& [path, place] : NumbersOf(NestOf(*argmin))) {
      Path first = path;
      first.insert(first.begin() + axis, lines.at(path)[0].first[static_cast<size_t>(axis)]);
      EXPECT_EQ(places.at(first), place);
    }
  }
}

// Broadcasting: values that have the outer dimensions, or the inner ones, of one that has all.

// `outer` with `inner` in place of each number, and numbers of their own.
Nest Product(const Nest& outer, const Nest& inner, const std::function<int64_t()>& number) {
  Nest made;
  if (!outer.number) {
    for (const Nest& child : outer.children) {
      made.children.push_back(Product(child, inner, number));
    }
  } else if (!inner.number) {
    for (const Nest& child : inner.children) {
      made.children.push_back(Product(outer, child, number));
    }
  } else {
    made.number = number();
  }
  return made;
}

// The sum of `all`, which has all dimensions, and the number that `outer` and `inner` have there.
Nest SumOf(const Nest& outer, const Nest& inner, const Nest& all) {
  if (all.number) return {.number = *all.number + *outer.number + *inner.number};
  Nest sum;
  for (size_t i = 0; i < all.children.size(); ++i) {
    sum.children.push_back(outer.number ? SumOf(outer, inner.children[i], all.children[i])
                                        : SumOf(outer.children[i], inner, all.children[i]));
  }
  return sum;
}

Nest WithOnes(const Nest& nest, int dims) {
  if (!nest.number) {
    Nest made;
    for (const Nest& child : nest.children) made.children.push_back(WithOnes(child, dims));
    return made;
  }
  return dims == 0 ? nest : Nest{.children = {WithOnes(nest, dims - 1)}};
}

TypeSpec TypeOf(const PartialShape& shape, int ragged_rank) {
  if (ragged_rank <= 0) return TensorType(DType::kInt64, shape);
  return *MakeRaggedType(DType::kInt64, shape, ragged_rank);
}

TEST_F(RaggedArithmeticTest, SumsBroadcastAsListsDo) {
  for (int i = 0; i < 3000; ++i) {
    int outer_rank = 1 + random_.Below(2);
    int inner_rank = random_.Below(3);
    Nest outer = AnyNest(outer_rank);
    Nest inner = AnyNest(inner_rank);
    Nest zeros = Product(outer, inner, [] { return int64_t{0}; });
    Nest all = Product(outer, inner, [&] { return int64_t{random_.Below(100)}; });
    int rank = outer_rank + inner_rank;

    PartialShape outer_shape = PartialShape::OfRank(rank);
    for (int axis = outer_rank; axis < rank; ++axis) outer_shape = outer_shape.WithDim(axis, 1);
    Value x = ValueOf(TypeOf(outer_shape, outer_rank - 1), WithOnes(outer, inner_rank));
    Value y = ValueOf(TypeOf(PartialShape::OfRank(inner_rank), inner_rank - 1), inner);
    Value z = ValueOf(TypeOf(PartialShape::OfRank(rank), rank - 1), all);
    SCOPED_TRACE(Cat(ToString(x), " ", ToString(y), " ", ToString(z)));

    auto add = [](const Value& a, const Value& b) {
      auto sum = RunOp1("add", {a, b});
      EXPECT_TRUE(sum.ok()) << sum.status();
      return sum.ok() ? *sum : a;
    };
    EXPECT_EQ(NestOf(add(add(x, z), y)), SumOf(outer, inner, all));
    EXPECT_EQ(NestOf(add(y, add(z, x))), SumOf(outer, inner, all));
    // A value with the outer dimensions and a value with the inner ones broadcast to all
    // dimensions.
    EXPECT_EQ(NestOf(add(x, y)), SumOf(outer, inner, zeros));
    EXPECT_EQ(NestOf(add(y, x)), SumOf(outer, inner, zeros));
    EXPECT_EQ(NestOf(add(z, z)), NestOf(*RunOp1("mul", {z, Tensor::Scalar<int64_t>(2)})));
  }
}

}  // namespace
}  // namespace signet
