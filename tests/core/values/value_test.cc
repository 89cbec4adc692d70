#include "signet/value.h"

#include <gtest/gtest.h>

#include "core/types/notation/notation.h"
#include "core/values/builders/value_notation.h"

namespace signet {
namespace {

Value Read(std::string_view text) {
  auto value = ParseValue(text);
  EXPECT_TRUE(value.ok()) << text << ": " << value.status();
  return value.ok() ? *value : Value();
}

Tensor Splits(std::initializer_list<int64_t> splits) {
  return Tensor::Of<int64_t>({static_cast<int64_t>(splits.size())}, splits);
}

Tensor Bytes(const Shape& shape) {
  std::vector<int8_t> zeros(static_cast<size_t>(shape.num_elements()));
  return Tensor::Of<int8_t>(shape, zeros);
}

struct Case {
  const char* type;
  Components components;
  const char* message;  // empty: accepted
};

template <size_t n>
void ExpectAll(const Case (&cases)[n]) {
  for (const Case& c : cases) {
    SCOPED_TRACE(Cat(c.type, ": ", c.message));
    auto value = MakeValue(*ParseTypeSpec(c.type), c.components);
    EXPECT_EQ(value.ok() ? "" : MessageOf(value.status()), c.message);
    EXPECT_EQ(value.ok(), ReasonOf(value.status()).empty());
  }
}

TEST(MakeValueTest, ChecksTensors) {
  ExpectAll({
      {"int8[2]", {Bytes({2})}, ""},
      {"int8[?]", {Bytes({2})}, ""},
      {"int8[...]", {Bytes({2})}, ""},
      {"int8[3]", {Bytes({2})}, "expected `int8[3]`, found `int8[2]`"},
      {"int8[]", {Bytes({2})}, "expected `int8[]`, found `int8[2]`"},
      {"int16[2]", {Bytes({2})}, "expected `int16[2]`, found `int8[2]`"},
      {"int8[2]", {Tensor()}, "no tensor"},
      {"int8[2]", {}, "number of components of `int8[2]`: expected 1, found 0"},
      {"3", {}, ""},
      {"3", {Bytes({2})}, "number of components of `3`: expected 0, found 1"},
      {"any", {}, "expected a type that values can have, found `any`"},
  });
}

TEST(MakeValueTest, ChecksRaggedTensors) {
  const char* type = "ragged int8[?, (?)]";
  ExpectAll({
      {type, {Bytes({3}), Splits({0, 2, 3})}, ""},
      {type, {Bytes({0}), Splits({0})}, ""},
      {type, {Bytes({3}), Splits({})}, "`row_splits_0`: expected at least one entry, found none"},
      {type,
       {Bytes({3}), Splits({1, 3})},
       "`row_splits_0`: expected 0 as the first entry, found 1"},
      {type, {Bytes({3}), Splits({0, 2, 1, 3})}, "`row_splits_0`: decreases at row 1, from 2 to 1"},
      {type, {Bytes({3}), Splits({0, 2})}, "`row_splits_0`: ends at 2; there are 3 values"},
      {type, {Bytes({3}), Splits({0, 4})}, "`row_splits_0`: ends at 4; there are 3 values"},
      {type, {Bytes({3, 1}), Splits({0, 3})}, "`values`: expected `int8[?]`, found `int8[3, 1]`"},
      {type, {Bytes({3}), Bytes({2})}, "`row_splits_0`: expected `int64[?]`, found `int8[2]`"},
      {"ragged int8[2, (?)]",
       {Bytes({3}), Splits({0, 3})},
       "`row_splits_0`: expected 2 rows, found 1"},
      {"ragged int8[?, (2)]",
       {Bytes({3}), Splits({0, 2, 3})},
       "`row_splits_0`: row 1: expected 2 values, found 1"},
      {"ragged int8[?, (?), 2]", {Bytes({3, 2}), Splits({0, 2, 3})}, ""},
      {"ragged int8[?, (?), (?)]", {Bytes({3}), Splits({0, 2}), Splits({0, 1, 3})}, ""},
      {"ragged int8[?, (?), (?)]",
       {Bytes({3}), Splits({0, 2}), Splits({0, 3})},
       "`row_splits_1`: expected 2 rows, found 1"},
      {"ragged<splits=int32> int8[?, (?)]", {Bytes({3}), Tensor::Of<int32_t>({2}, {0, 3})}, ""},
      {"ragged<splits=int32> int8[?, (?)]",
       {Bytes({3}), Splits({0, 3})},
       "`row_splits_0`: expected `int32[?]`, found `int64[2]`"},
      {"ragged<rank=0> int8[?]", {Bytes({3})}, ""},
      {"ragged<rank=1> int8[...]", {Bytes({3, 2}), Splits({0, 3})}, ""},
      {"ragged<rank=1> int8[...]",
       {Bytes({}), Splits({0, 3})},
       "`values`: expected at least one dimension, found `int8[]`"},
  });
}

TEST(MakeValueTest, ChecksStructures) {
  Tensor two = Tensor::Scalar(int64_t{2});
  Tensor zero = Tensor::Scalar(int64_t{0});
  ExpectAll({
      {"{a: int8[]}", {Bytes({})}, ""},
      {"{}", {}, ""},
      {"[{a: int8[]}]", {two, Bytes({2})}, ""},
      {"[{a: int8[]}]", {two, Bytes({3})}, "`a`: expected 2 rows, found 3"},
      {"[{a: int8[]}]",
       {Tensor::Scalar(int64_t{-1}), Bytes({0})},
       "`nrows`: expected at least 0, found -1"},
      {"{a: int8[]}[3]", {two, Bytes({3})}, "`nrows`: expected 3 for `[3]`, found 2"},
      {"[{a: int8[], b: int8[]}]", {two, Bytes({2}), Bytes({1})}, "`b`: expected 2 rows, found 1"},
      {"[{a: int8[(?)]}]", {two, Bytes({3}), Splits({0, 1, 3})}, ""},
      {"[{a: int8[(?)]}]",
       {two, Bytes({3}), Splits({0, 3})},
       "`a.row_splits_0`: expected 2 rows, found 1"},
      {"[[{a: int8[]}]]", {two, Splits({0, 1, 3}), Bytes({3})}, ""},
      {"[[{a: int8[]}]]",
       {two, Splits({0, 1, 3}), Bytes({2})},
       "`a.values`: expected 3 rows, found 2"},
      {"[[{a: int8[]}]]",
       {two, Splits({0, 3}), Bytes({3})},
       "`row_splits_0`: expected 2 rows, found 1"},
      {"[[{a: int8[(?)]}]]", {two, Splits({0, 1, 3}), Bytes({4}), Splits({0, 1, 1, 4})}, ""},
      {"[[{a: int8[(?)]}]]",
       {two, Splits({0, 1, 3}), Bytes({4}), Splits({0, 1, 4})},
       "`a.row_splits_1`: expected 3 rows, found 2"},
      {"[[{a: dense int8[]}]]", {two, Splits({0, 2, 4}), Bytes({2, 2})}, ""},
      {"[[{a: dense int8[]}]]",
       {two, Splits({0, 1, 4}), Bytes({2, 2})},
       "`a`: row 0: expected 2 values, found 1"},
      {"[[{a: dense int8[], b: dense int8[]}]]",
       {zero, Splits({0}), Bytes({0, 3}), Bytes({0, 5})},
       "`b`: dimension 1: expected 3, as in another field, found 5"},
      {"[{s: [{x: int8[]}]}]", {two, Splits({0, 1, 3}), Bytes({3})}, ""},
      {"[{s: [{x: int8[]}]}]",
       {two, Splits({0, 1, 3}), Bytes({2})},
       "`s.x.values`: expected 3 rows, found 2"},
      {"{s: [{x: int8[]}]}", {two, Bytes({2})}, ""},
      {"[[[{a: ragged<rank=1> int8[]}]]]",
       {two, Splits({0, 1, 2}), Splits({0, 3, 6}), Bytes({2, 3})},
       ""},
      {"[[[{a: ragged<rank=1> int8[]}]]]",
       {two, Splits({0, 1, 2}), Splits({0, 3, 5}), Bytes({2, 3})},
       "`a.values`: row 1: expected 3 values, found 2"},
  });
}

TEST(MakeValueTest, ChecksSparseTensors) {
  auto indices = [](int64_t rows, std::initializer_list<int64_t> all) {
    return Tensor::Of<int64_t>({rows, 2}, all);
  };
  const char* type = "sparse int8[?, ?]";
  Tensor shape = Splits({2, 3});
  ExpectAll({
      {type, {indices(2, {0, 1, 1, 2}), Bytes({2}), shape}, ""},
      {type, {indices(0, {}), Bytes({0}), shape}, ""},
      {type,
       {indices(1, {0, 3}), Bytes({1}), shape},
       "`indices`: row 0 has 3 for dimension 1, whose size is 3"},
      {type,
       {indices(1, {-1, 0}), Bytes({1}), shape},
       "`indices`: row 0 has -1 for dimension 0, whose size is 2"},
      {type,
       {indices(2, {1, 0, 0, 1}), Bytes({2}), shape},
       "`indices`: row 1 is less than row 0; expected each index once, in row-major order"},
      {type,
       {indices(2, {1, 0, 1, 0}), Bytes({2}), shape},
       "`indices`: row 1 repeats row 0; expected each index once, in row-major order"},
      {type,
       {indices(1, {0, 1}), Bytes({2}), shape},
       "`indices`: expected 2 rows, one per value, found 1"},
      {type,
       {indices(0, {}), Bytes({0}), Splits({-1, 3})},
       "`dense_shape`: expected dimensions of at least 0, found -1"},
      {type,
       {indices(0, {}), Bytes({0}), Splits({INT64_MAX, 2})},
       "`dense_shape`: more elements than an int64 counts"},
      {type,
       {indices(0, {}), Bytes({0}), Splits({2})},
       "`dense_shape`: expected `int64[2]`, found `int64[1]`"},
      {"sparse int8[2, 4]",
       {indices(0, {}), Bytes({0}), shape},
       "`dense_shape`: expected `[2, 4]`, found `[2, 3]`"},
      {"sparse int8[...]",
       {indices(0, {}), Bytes({0}), Splits({2})},
       "`indices`: expected 1 columns, one per dimension of dense_shape, found 2"},
  });
}

TEST(MakeValueTest, NamesTheComponentWithinContainers) {
  auto value = MakeValue(*ParseTypeSpec("dict(a: list(int8[], ragged int8[?, (?)]))"),
                         {Bytes({}), Bytes({3}), Splits({0, 4})});
  EXPECT_EQ(MessageOf(value.status()), "`a[1].row_splits_0`: ends at 4; there are 3 values");
  EXPECT_EQ(FieldOf(value.status()), "a[1].row_splits_0");
}

TEST(ValueTest, ContainersAreTheirChildrenInARow) {
  std::vector<Value> parts = {Value(Tensor::Scalar(1.5f)), Value::OfLiteral(Literal::Int(3)),
                              Read("ragged int8[2, (?)] [[1], []]")};
  Value list = ListOf(parts);
  EXPECT_EQ(list.components().size(), 3u);
  auto children = ChildrenOf(list);
  for (size_t i = 0; i < parts.size(); ++i) EXPECT_TRUE(SameValue(children[i], parts[i]));
  EXPECT_EQ(TupleOf(parts).spec().ToString(), "tuple(float32[], 3, ragged int8[2, (?)])");
  EXPECT_EQ(MakeDict({{"b", parts[0]}, {"a", parts[1]}})->spec().ToString(),
            "dict(b: float32[], a: 3)");
  EXPECT_FALSE(MakeDict({{"a", parts[0]}, {"a", parts[1]}}).ok());
  EXPECT_FALSE(MakeNamedTuple(NamedTupleSpec::Style::kAttrs, "P", {{"a b", parts[0]}}).ok());
}

TEST(ValueTest, WithChildrenKeepsKindAndNames) {
  Value dict = Read("dict(a: int8[], b: 3) {a: 1, b: 3}");
  std::vector<Value> other = {Value::None(), Value(Tensor::Scalar(2.0f))};
  EXPECT_EQ(ToString(*WithChildren(dict.spec(), other)),
            "dict(a: None, b: float32[]) {a: None, b: 2.0}");
  EXPECT_FALSE(WithChildren(dict.spec(), std::span(other).first(1)).ok());
}

TEST(ValueTest, ExactSpecFillsInTheSizesAtHand) {
  struct Exact {
    const char *text, *exact;
  } const cases[] = {
      {"float32[?, ?] [[1.0], [2.0]]", "float32[2, 1]"},
      {"float32[...] 1.0", "float32[]"},
      {"ragged int8[?, (?), ?] [[[1]], []]", "ragged int8[2, (?), 1]"},
      {"ragged<rank=1> int8[...] [[1], []]", "ragged int8[2, (?)]"},
      {"sparse int8[...] {indices: [], values: [], dense_shape: [2, 3]}", "sparse int8[2, 3]"},
      {"[{a: int8[(?)], s: [{x: int8[]}]}] [{a: [], s: []}]",
       "{a: int8[(?)], s: [{x: int8[]}]}[1]"},
      {"[[{a: dense int8[]}]] [[{a: 1}, {a: 2}]]", "{a: int8[]}[1, 2]"},
      {"list(3, dict(a: int8[?])) [3, {a: [1, 2]}]", "list(3, dict(a: int8[2]))"},
  };
  for (const Exact& c : cases) {
    Value value = Read(c.text);
    EXPECT_EQ(ExactSpecOf(value).ToString(), c.exact) << c.text;
    EXPECT_TRUE(IsSubtype(ExactSpecOf(value), value.spec())) << c.text;
  }
}

TEST(ValueTest, PlaceholdersHaveATypeOnly) {
  Value type = Value::OfType(*ParseTypeSpec("float32[?]"));
  EXPECT_TRUE(type.is_placeholder());
  std::vector<Value> parts = {type, Value(Tensor::Scalar(1.0f))};
  Value list = ListOf(parts);
  EXPECT_TRUE(list.is_placeholder());
  EXPECT_TRUE(ChildrenOf(list)[0].is_placeholder());
  EXPECT_EQ(ToString(list), "list(float32[?], float32[])");
  EXPECT_FALSE(Value::OfType(*ParseTypeSpec("3")).is_placeholder());
}

}  // namespace
}  // namespace signet
