// Laws of joining, cutting and repeating, on random tensors, ragged values and structures: the
// elements of the result are those that recursion over the elements of the inputs gives; and a
// function that knows fewer sizes does the same as the op at once.

#include <gtest/gtest.h>

#include "core/graph/lower/specializer.h"
#include "core/runtime/executor.h"
#include "signet/ops/arrays.h"
#include "signet/ops/run_op.h"
#include "tests/properties/rows_random.h"
#include "tests/support/body_maker.h"
#include "tests/support/op_function.h"

namespace signet {
namespace {

using Values = std::vector<Value>;

int RankOf(const Value& x) { return x.spec().shape()->rank(); }

std::string Listed(const std::vector<std::string>& elements) {
  return Cat("[", Join(elements, ", "), "]");
}

// What `inner` makes of the first elements of all, of the second ones, ..
template <class Inner>
std::string EachOf(const Values& values, Inner inner) {
  std::vector<Values> elements;
  for (const Value& value : values) elements.push_back(ElementsOf(value));
  std::vector<std::string> texts;
  for (size_t i = 0; i < elements[0].size(); ++i) {
    Values same;
    for (const Values& of_one : elements) same.push_back(of_one[i]);
    texts.push_back(inner(same));
  }
  return Listed(texts);
}

std::string Concatenated(const Values& values, int axis) {
  if (axis > 0) {
    return EachOf(values, [&](const Values& same) { return Concatenated(same, axis - 1); });
  }
  std::vector<std::string> texts;
  for (const Value& value : values) {
    for (const Value& element : ElementsOf(value)) texts.push_back(Data(element));
  }
  return Listed(texts);
}

std::string Stacked(const Values& values, int axis) {
  if (axis > 0) {
    return EachOf(values, [&](const Values& same) { return Stacked(same, axis - 1); });
  }
  std::vector<std::string> texts;
  for (const Value& value : values) texts.push_back(Data(value));
  return Listed(texts);
}

std::string Tiled(const Value& value, std::span<const int64_t> multiples) {
  if (multiples.empty()) return Data(value);
  std::vector<std::string> once;
  for (const Value& element : ElementsOf(value)) {
    once.push_back(Tiled(element, multiples.subspan(1)));
  }
  std::vector<std::string> texts;
  for (int64_t i = 0; i < multiples[0]; ++i) texts.insert(texts.end(), once.begin(), once.end());
  return Listed(texts);
}

// Elements [start, start + count) along an axis.
std::string Part(const Value& value, int axis, size_t start, size_t count) {
  if (axis > 0) {
    return EachOf({value}, [&](const Values& one) { return Part(one[0], axis - 1, start, count); });
  }
  Values elements = ElementsOf(value);
  std::vector<std::string> texts;
  for (size_t i = start; i < start + count; ++i) texts.push_back(Data(elements[i]));
  return Listed(texts);
}

// `type` without the sizes that only the data can tell: those of dimension 0 and of dense columns.
TypeSpec WithFewerSizes(const TypeSpec& type, int shared = 1) {
  PartialShape shape = *type.shape();
  const auto* structured = type.As<StructuredSpec>();
  const auto* ragged = type.As<RaggedSpec>();
  int known = ragged == nullptr ? shared : std::max(shared, ragged->ragged_rank() + 1);
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (axis == 0 || (structured == nullptr && axis >= known)) {
      shape = shape.WithDim(axis, kUnknownDim);
    }
  }
  std::vector<TypeSpec> fields;
  for (const TypeSpec& field : type.children()) {
    fields.push_back(WithFewerSizes(field, std::max(1, structured->rank())));
  }
  return *type.rep().Rebuild(std::move(shape), std::move(fields));
}

StatusOr<Values> RunInFunction(std::string_view op, const Values& inputs,
                               const Attributes& attributes, size_t num_outputs) {
  SIGNET_ASSIGN_OR_RETURN(FunctionDef def, OpFunction(op, attributes, inputs.size(), num_outputs));
  Values types;
  std::vector<const Tensor*> tensors;
  for (const Value& input : inputs) {
    types.push_back(Value::OfType(WithFewerSizes(input.spec())));
    for (const Tensor& component : input.components()) tensors.push_back(&component);
  }
  SIGNET_ASSIGN_OR_RETURN(CanonicalCall call,
                          Canonicalize(def.type, {std::move(types), {}}, def.defaults));
  SIGNET_ASSIGN_OR_RETURN(Specialization made,
                          Specialize(def, call.type, TestLibrary(), {.verify = true}));
  SIGNET_ASSIGN_OR_RETURN(auto plan, Plan::Make(std::move(made.graph)));
  FramePool frames;
  SIGNET_ASSIGN_OR_RETURN(Components results, RunPlan(*plan, frames, tensors, {}));
  SIGNET_ASSIGN_OR_RETURN(Value tuple, MakeValue(made.output, std::move(results)));
  return ChildrenOf(tuple);
}

class JoinsLawsTest : public ::testing::Test {
 protected:
  // The op at once, which must be as the function has it.
  StatusOr<Values> Run(std::string_view op, const Values& inputs, const Attributes& attributes) {
    auto made = RunOp(op, inputs, attributes);
    auto other = RunInFunction(op, inputs, attributes, made.ok() ? made->size() : 1);
    EXPECT_EQ(made.status().code(), other.status().code()) << made.status() << other.status();
    if (!made.ok() || !other.ok()) return made;
    EXPECT_EQ(made->size(), other->size());
    for (size_t i = 0; i < made->size() && i < other->size(); ++i) {
      const Value& one = (*made)[i];
      Components components(one.components().begin(), one.components().end());
      EXPECT_TRUE(MakeValue(one.spec(), std::move(components)).ok()) << ToString(one);
      EXPECT_EQ(Data(one), Data((*other)[i]));
      // With `ragged`, sizes that are not known make ragged what else would be dense.
      bool as_known = attributes.Has("ragged");
      EXPECT_TRUE(as_known || one.spec().structure() == (*other)[i].spec().structure())
          << one.spec().ToString() << " at once, " << (*other)[i].spec().ToString();
    }
    return made;
  }

  // `x` and values with the same rows before `axis`, ragged or not.
  Values Beside(const Value& x, int axis) {
    Values values = {x};
    std::vector<int64_t> multiples(static_cast<size_t>(RankOf(x)), 1);
    multiples[static_cast<size_t>(axis)] = random_.Below(3);
    auto tiled = Tile(x, multiples);
    EXPECT_TRUE(tiled.ok()) << tiled.status();
    bool to_ragged = x.spec().is(TypeKind::kTensor) && RankOf(x) > 1 && random_.Chance(3);
    if (tiled.ok() && to_ragged) tiled = RunOp1("ragged_from_dense", {*tiled});
    EXPECT_TRUE(tiled.ok()) << tiled.status();
    if (tiled.ok()) values.push_back(*tiled);
    if (random_.Chance(2)) values.push_back(x);
    return values;
  }

  // Some value, at most so often as is tried for it.
  template <class Check>
  void ForSome(int times, Check check) {
    int done = 0;
    for (int i = 0; i < times; ++i) {
      Value x = AnyRows(random_);
      if (!x) continue;
      ++done;
      SCOPED_TRACE(ToString(x));
      check(x, random_.Below(RankOf(x)));
      if (::testing::Test::HasFailure()) return;
    }
    EXPECT_GT(done, times / 10);
  }

  RandomValues random_;
};

TEST_F(JoinsLawsTest, ConcatJoinsElements) {
  ForSome(3000, [&](const Value& x, int axis) {
    Values values = Beside(x, axis);
    auto joined = Run("concat", values, Attributes({{"axis", AttributeOf(axis)}}));
    ASSERT_TRUE(joined.ok()) << joined.status();
    ASSERT_EQ(Data((*joined)[0]), Concatenated(values, axis)) << "axis " << axis;
  });
}

TEST_F(JoinsLawsTest, RaggedConcatAndStackTakeTensorsOfOtherSizes) {
  ForSome(3000, [&](const Value& x, int axis) {
    Values values = Beside(x, axis);
    Attributes attributes({{"axis", AttributeOf(0)}, {"ragged", AttributeOf(true)}});
    auto joined = Run("concat", values, attributes);
    ASSERT_TRUE(joined.ok()) << joined.status();
    ASSERT_EQ(Data((*joined)[0]), Concatenated(values, 0));
    auto stacked = Run("stack", values, attributes);
    ASSERT_TRUE(stacked.ok()) << stacked.status();
    ASSERT_EQ(Data((*stacked)[0]), Stacked(values, 0));
  });
}

TEST_F(JoinsLawsTest, UnstackUndoesStack) {
  ForSome(3000, [&](const Value& x, int axis) {
    Values values(static_cast<size_t>(1 + random_.Below(3)), x);
    axis += random_.Below(2);
    auto stacked = Run("stack", values, Attributes({{"axis", AttributeOf(axis)}}));
    ASSERT_TRUE(stacked.ok()) << stacked.status();
    ASSERT_EQ(Data((*stacked)[0]), Stacked(values, axis)) << "axis " << axis;
    auto num = static_cast<int64_t>(values.size());
    auto apart = Run("unstack", *stacked,
                     Attributes({{"axis", AttributeOf(axis)}, {"num", AttributeOf(num)}}));
    ASSERT_TRUE(apart.ok()) << apart.status();
    ASSERT_EQ(apart->size(), values.size());
    for (const Value& one : *apart) ASSERT_EQ(Data(one), Data(x)) << "axis " << axis;
  });
}

TEST_F(JoinsLawsTest, ConcatUndoesSplit) {
  int split = 0;
  ForSome(3000, [&](const Value& x, int axis) {
    int64_t size = ExactSpecOf(x).shape()->dim(axis);
    if (size == kUnknownDim) return;
    int64_t first = random_.Below(static_cast<int>(size) + 1);
    const int64_t sizes[] = {first, size - first};
    Attributes attributes(
        {{"axis", AttributeOf(axis)}, {"sizes", AttributeOf(std::span<const int64_t>(sizes))}});
    auto parts = Run("split", {x}, attributes);
    ASSERT_TRUE(parts.ok()) << parts.status();
    ++split;
    ASSERT_EQ(Data((*parts)[0]), Part(x, axis, 0, static_cast<size_t>(sizes[0])));
    ASSERT_EQ(Data((*parts)[1]),
              Part(x, axis, static_cast<size_t>(sizes[0]), static_cast<size_t>(sizes[1])));
    auto joined = Run("concat", *parts, Attributes({{"axis", AttributeOf(axis)}}));
    ASSERT_TRUE(joined.ok()) << joined.status();
    ASSERT_EQ(Data((*joined)[0]), Data(x)) << "axis " << axis;
  });
  EXPECT_GT(split, 300);
}

TEST_F(JoinsLawsTest, TileRepeatsElements) {
  ForSome(3000, [&](const Value& x, int) {
    std::vector<int64_t> multiples;
    for (int i = RankOf(x); i > 0; --i) multiples.push_back(random_.Below(3));
    Attributes attributes({{"multiples", AttributeOf(std::span<const int64_t>(multiples))}});
    auto tiled = Run("tile", {x}, attributes);
    ASSERT_TRUE(tiled.ok()) << tiled.status();
    ASSERT_EQ(Data((*tiled)[0]), Tiled(x, multiples));
    auto count = static_cast<int64_t>(multiples.size());
    auto given = Run("tile", {x, Tensor::Of<int64_t>({count}, multiples)}, {});
    ASSERT_TRUE(given.ok()) << given.status();
    ASSERT_EQ(Data((*given)[0]), Data((*tiled)[0]));
  });
}

}  // namespace
}  // namespace signet
