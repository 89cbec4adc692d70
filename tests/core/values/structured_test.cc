#include "core/values/structured.h"

#include <gtest/gtest.h>

#include "core/values/value_notation.h"

namespace signet {
namespace {

constexpr int64_t kQ = kUnknownDim;

Value Read(std::string_view text) {
  auto value = ParseValue(text);
  EXPECT_TRUE(value.ok()) << text << ": " << value.status();
  return value.ok() ? *value : Value();
}

// Field values in the notation: `a`, `b`, ..
std::string Make(const PartialShape& shape, std::vector<std::string_view> fields,
                 std::optional<int64_t> nrows = std::nullopt) {
  NamedValues named;
  for (size_t i = 0; i < fields.size(); ++i) {
    named.emplace_back(std::string(1, static_cast<char>('a' + i)), Read(fields[i]));
  }
  auto value = MakeStructured(shape, std::move(named), nrows);
  return value.ok() ? ToString(*value) : Cat("!! ", MessageOf(value.status()));
}

TEST(MakeStructuredTest, SharesTheRowsOfItsFields) {
  EXPECT_EQ(Make(Shape{}, {"int8[] 1", "int8[2] [1, 2]"}),
            "{a: int8[], b: int8[2]} {a: 1, b: [1, 2]}");
  EXPECT_EQ(Make({kQ}, {"int8[2] [1, 2]", "ragged int8[?, (?)] [[3], []]"}),
            "{a: int8[], b: int8[(?)]}[2] [{a: 1, b: [3]}, {a: 2, b: []}]");
  EXPECT_EQ(Make({kQ, kQ}, {"ragged int8[?, (?)] [[1], [2, 3]]",
                            "ragged int8[?, (?), (?)] [[[]], [[4], [5, 6]]]"}),
            "[[{a: int8[], b: int8[(?)]}]] [[{a: 1, b: []}], [{a: 2, b: [4]}, {a: 3, b: [5, 6]}]]");
  // A dense field makes the structure's inner dimension known; a ragged sibling must fit it.
  EXPECT_EQ(Make({kQ, kQ}, {"int8[2, 2] [[1, 2], [3, 4]]", "ragged int8[?, (?)] [[5, 6], [7, 8]]"}),
            "{a: int8[], b: ragged int8[]}[2, 2] [[{a: 1, b: 5}, {a: 2, b: 6}], [{a: 3, b: 7}, {a: "
            "4, b: 8}]]");
  EXPECT_EQ(Make({kQ}, {"[[{x: int8[]}]] [[{x: 1}], []]"}),
            "[{a: [{x: int8[]}]}] [{a: [{x: 1}]}, {a: []}]");
  // int32 row splits are widened where they become the structure's own.
  EXPECT_EQ(Make({kQ}, {"ragged<splits=int32> int8[1, (?)] [[1]]"}),
            "{a: ragged<splits=int32> int8[(?)]}[1] [{a: [1]}]");
  EXPECT_EQ(Make({kQ, kQ}, {"ragged<splits=int32> int8[1, (?)] [[1]]"}),
            "{a: int8[]}[1, ?] [[{a: 1}]]");
}

TEST(MakeStructuredTest, WithoutFieldsTakesItsRowsFromElsewhere) {
  EXPECT_EQ(Make({kQ}, {}, 2), "[{}] [{}, {}]");
  EXPECT_EQ(Make({2, 1}, {}), "{}[2, 1] [[{}], [{}]]");
  EXPECT_EQ(Make({kQ}, {}).substr(0, 2), "!!");
  EXPECT_EQ(Make({kQ, kQ}, {}, 2).substr(0, 2), "!!");
}

TEST(MakeStructuredTest, RefusesFieldsThatDisagree) {
  struct Case {
    PartialShape shape;
    std::vector<std::string_view> fields;
    std::optional<int64_t> nrows;
    const char* message;
  } const cases[] = {
      {{kQ}, {"int8[?] [1]", "int8[?] []"}, {}, "!! field `b` has 0 rows; field `a` has 1"},
      {{kQ, kQ},
       {"ragged int8[?, (?)] [[1], []]", "ragged int8[?, (?)] [[], [1]]"},
       {},
       "!! fields `a` and `b` have other row lengths in dimension 1"},
      {{kQ}, {"int8[?] [1, 2]"}, 3, "!! field `a` has 2 rows; the structure has 3"},
      {{3}, {"int8[?] [1, 2]"}, {}, "!! `nrows`: 2; `[3]` takes 3"},
      {{2, 2},
       {"ragged int8[?, (?)] [[1, 2], [3]]"},
       {},
       "!! `row_splits_0`: row 1 has 1 values; takes 2"},
      {Shape{}, {}, 5, "!! a number of rows, 5, of one structure; takes none"},
      {{kQ}, {}, -1, "!! -1 rows; takes at least 0"},
      {{2},
       {"int8[3] [1, 2, 3]"},
       {},
       "!! field `a` has leading dimensions `[3]`; those of its structure are `[2]`"},
  };
  for (const Case& c : cases) EXPECT_EQ(Make(c.shape, c.fields, c.nrows), c.message);
}

TEST(MakeStructuredTest, RowsWithoutValuesDoNotCostMemory) {
  NamedValues fields = {{"a", Value(*Tensor::Make(DType::kInt8, {int64_t{1} << 60, 0}, {}))}};
  EXPECT_EQ(MakeStructured({kQ, kQ}, fields).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(MakeStructured({int64_t{1} << 60, 0}, {}).status().code(),
            absl::StatusCode::kResourceExhausted);
}

TEST(FieldOfTest, GivesColumnsThatShareTheirTensors) {
  Value value = Read(
      "[[{a: int8[], b: string[(?)], s: [{x: int8[]}]}]] "
      "[[{a: 1, b: [\"u\"], s: []}], [{a: 2, b: [], s: [{x: 7}]}]]");
  struct Case {
    const char *name, *column;
  } const cases[] = {
      {"a", "ragged int8[?, (?)] [[1], [2]]"},
      {"b", "ragged string[?, (?), (?)] [[[\"u\"]], [[]]]"},
      {"s", "[[[{x: int8[]}]]] [[[]], [[{x: 7}]]]"},
  };
  for (const Case& c : cases) {
    Value column = *FieldOf(value, c.name);
    EXPECT_EQ(ToString(column), c.column);
    EXPECT_TRUE(
        MakeValue(column.spec(), {column.components().begin(), column.components().end()}).ok());
  }
  EXPECT_EQ(FieldOf(value, "a")->components()[1].data().data(),
            FieldOf(value, "b")->components()[1].data().data());
  EXPECT_EQ(FieldOf(value, "z").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(FieldOf(Value::None(), "z").status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(FieldOf(Value::OfType(value.spec()), "a")->is_placeholder());
}

TEST(FieldOfTest, FieldsMakeTheStructureAgain) {
  for (const char* text :
       {"{a: int8[], b: int8[?]} {a: 1, b: [2]}",
        "[{a: int8[(?)], s: [{x: int8[]}]}] [{a: [], s: [{x: 1}]}, {a: [1], s: []}]",
        "[[{a: int8[], s: {x: int8[(?)]}}]] [[], [{a: 2, s: {x: [3]}}]]"}) {
    SCOPED_TRACE(text);
    Value value = Read(text);
    NamedValues fields;
    for (const char* name : {"a", "b", "s"}) {
      if (auto field = FieldOf(value, name); field.ok()) fields.emplace_back(name, *field);
    }
    EXPECT_TRUE(SameValue(*MakeStructured(*value.spec().shape(), fields), value));
  }
}

}  // namespace
}  // namespace signet
