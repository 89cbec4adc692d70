#include "signet/structured.h"

#include <gtest/gtest.h>

#include "core/values/builders/value_notation.h"

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

TEST(MakeStructuredTest, UnifiesTheRowSplitsOfItsFields) {
  constexpr std::string_view kNarrow = "ragged<splits=int32> int8[?, (?)] [[3], []]";
  constexpr std::string_view kWide = "ragged int8[?, (?)] [[], [4, 5]]";
  for (const PartialShape& shape : {PartialShape(Shape{}), PartialShape{kQ}}) {
    EXPECT_EQ(Make(shape, {kNarrow, kWide}), Make(shape, {"ragged int8[?, (?)] [[3], []]", kWide}));
    EXPECT_NE(Make(shape, {kNarrow}).find("splits=int32"), std::string::npos);
  }
}

TEST(FieldOfTest, RejectsEmptyNames) {
  const FieldPath path = {""};
  EXPECT_EQ(FieldAt(Read("{a: int8[]} {a: 1}"), path).status().code(),
            absl::StatusCode::kInvalidArgument);
}

TEST(MakeStructuredTest, WithoutFieldsTakesItsRowsFromElsewhere) {
  EXPECT_EQ(Make({kQ}, {}, 2), "[{}] [{}, {}]");
  EXPECT_EQ(Make({2, 1}, {}), "{}[2, 1] [[{}], [{}]]");
  EXPECT_EQ(Make({kQ}, {}).substr(0, 2), "!!");
  EXPECT_EQ(Make({kQ, kQ}, {}, 2).substr(0, 2), "!!");
}

TEST(MakeStructuredTest, RejectsFieldsThatDisagree) {
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
      {{3}, {"int8[?] [1, 2]"}, {}, "!! `nrows`: expected 3 for `[3]`, found 2"},
      {{2, 2},
       {"ragged int8[?, (?)] [[1, 2], [3]]"},
       {},
       "!! `row_splits_0`: row 1: expected 2 values, found 1"},
      {Shape{}, {}, 5, "!! expected no number of rows for one structure, found 5"},
      {{kQ}, {}, -1, "!! expected at least 0 rows, found -1"},
      {PartialShape(),
       {"int8[2] [1, 2]"},
       {},
       "!! expected a structure of known rank, found an unknown rank"},
      {PartialShape(), {}, 5, "!! expected a structure of known rank, found an unknown rank"},
      {{2},
       {"int8[3] [1, 2, 3]"},
       {},
       "!! field `a`: expected the leading dimensions of its structure, `[2]`, found `[3]`"},
  };
  for (const Case& c : cases) EXPECT_EQ(Make(c.shape, c.fields, c.nrows), c.message);
}

// A structure without fields, whose rows are given.
std::string MakeOf(const PartialShape& shape, std::optional<int64_t> nrows,
                   std::vector<StatusOr<RowPartition>> partitions, NamedValues fields = {}) {
  std::vector<RowPartition> given;
  for (auto& partition : partitions) given.push_back(*std::move(partition));
  auto value = MakeStructured(shape, std::move(fields), nrows, std::move(given));
  return value.ok() ? ToString(*value) : Cat("!! ", MessageOf(value.status()));
}

StatusOr<RowPartition> Lengths(std::vector<int64_t> lengths) {
  return RowPartition::FromRowLengths(
      Tensor::Of<int64_t>({static_cast<int64_t>(lengths.size())}, lengths));
}

StatusOr<RowPartition> Uniform(int64_t length, int64_t nvals) {
  return RowPartition::FromUniformRowLength(DType::kInt64, length, nvals);
}

TEST(MakeStructuredTest, TakesRowPartitionsAsGiven) {
  EXPECT_EQ(MakeOf({1, kQ, kQ, 3}, {}, {Lengths({3}), Lengths({2, 0, 1}), Uniform(3, 9)}),
            "{}[1, ?, ?, 3] [[[[{}, {}, {}], [{}, {}, {}]], [], [[{}, {}, {}]]]]");
  // The length of a uniform one is part of the type.
  EXPECT_EQ(MakeOf({kQ, kQ}, {}, {Uniform(1, 2)}), "{}[?, 1] [[{}], [{}]]");
  EXPECT_EQ(MakeOf({kQ, kQ}, 2, {Lengths({1, 0})}), "[[{}]] [[{}], []]");
  EXPECT_EQ(MakeOf({kQ}, 2, {}), "[{}] [{}, {}]");
  NamedValues fields = {{"a", Read("ragged int8[?, (?)] [[1], [2]]")}};
  EXPECT_EQ(MakeOf({kQ, kQ}, {}, {Lengths({1, 1})}, fields),
            "[[{a: int8[]}]] [[{a: 1}], [{a: 2}]]");
  EXPECT_EQ(MakeOf({kQ, kQ}, {}, {Uniform(1, 2)}, fields),
            "{a: ragged int8[]}[?, 1] [[{a: 1}], [{a: 2}]]");
  auto narrow = RowPartition::FromUniformRowLength(DType::kInt32, 1, 1);
  EXPECT_EQ(MakeOf({kQ, kQ}, {}, {narrow}), "{}[?, 1] [[{}]]");
}

TEST(MakeStructuredTest, RejectsRowPartitionsThatDoNotFit) {
  NamedValues fields = {{"a", Read("ragged int8[?, (?)] [[1], [2]]")}};
  EXPECT_EQ(MakeOf({kQ, kQ, kQ}, {}, {}),
            "!! expected 2 row partitions for a structure of rank 3, found 0");
  EXPECT_EQ(MakeOf({kQ}, {}, {Lengths({1})}),
            "!! expected 0 row partitions for a structure of rank 1, found 1");
  EXPECT_EQ(MakeOf({}, {}, {}), "!! expected a structure of known rank, found an unknown rank");
  EXPECT_EQ(MakeOf({kQ, kQ}, {}, {Lengths({2})}, fields),
            "!! field `a` has 2 rows; the structure has 1");
  EXPECT_EQ(MakeOf({kQ, kQ}, {}, {Lengths({1, 2})}, fields),
            "!! the structure and field `a` have other row lengths in dimension 1");
  EXPECT_EQ(MakeOf({kQ, 2}, {}, {Uniform(3, 3)}),
            "!! row partition 0: expected rows of length 2 for `[?, 2]`, found 3");
  EXPECT_EQ(MakeOf({kQ, 2}, {}, {Lengths({2, 1})}),
            "!! `row_splits_0`: row 1: expected 2 values, found 1");
  EXPECT_EQ(MakeOf({3, kQ}, {}, {Lengths({2, 1})}), "!! `nrows`: expected 3 for `[3, ?]`, found 2");
  EXPECT_EQ(MakeOf({kQ, kQ}, 3, {Lengths({2, 1})}),
            "!! row partition 0 has 2 rows; the structure has 3");
  EXPECT_EQ(MakeOf({kQ, kQ, kQ}, {}, {Lengths({2, 1}), Lengths({1, 1})}),
            "!! row partition 1 has 2 rows; row partition 0 has 3 values");
}

TEST(MakeStructuredTest, StatesTheFirstFaultOfTheOrder) {
  const Value vector = Read("int8[?] [1]");
  const Value matrix = Read("ragged int8[?, (?)] [[1], [2]]");
  const Value other = Read("ragged int8[?, (?)] [[1, 2], []]");
  struct Case {
    PartialShape shape;
    NamedValues fields;
    std::optional<int64_t> nrows;
    const char* message;
  } const cases[] = {
      {{}, {{"_", vector}}, -1, "!! expected a structure of known rank, found an unknown rank"},
      {Shape{}, {{"_", vector}}, 1, "!! expected no number of rows for one structure, found 1"},
      {{kQ, kQ},
       {{"_", vector}},
       {},
       "!! name of a field: expected a letter, then letters, digits, or underscores, found `_`"},
      {{kQ, kQ},
       {{"a", vector}, {"b", matrix}, {"c", other}},
       {},
       "!! field `a`: expected at least the dimensions of its structure, `[?, ?]`, found `[?]`"},
      {{kQ, kQ},
       {{"a", Value::None()}},
       {},
       "!! field `a`: expected a tensor, ragged, or structured type, found `None`"},
      {{7, kQ},
       {{"b", matrix}, {"c", other}},
       {},
       "!! fields `b` and `c` have other row lengths in dimension 1"},
      {{7, kQ}, {{"b", matrix}}, {}, "!! `nrows`: expected 7 for `[7, ?]`, found 2"},
  };
  for (const Case& c : cases) {
    auto value = MakeStructured(c.shape, c.fields, c.nrows);
    EXPECT_EQ(Cat("!! ", MessageOf(value.status())), c.message);
  }
}

TEST(MakeStructuredTest, FieldsMayBeDenseBehindTheirRows) {
  // Rank 4: `d` is ragged in one dimension and dense in the others, `f` ragged in all.
  EXPECT_EQ(
      Make({1, kQ, kQ, 1}, {"ragged int8[1, (?), 3, 1, 2] [[[[[1, 2]], [[3, 4]], [[5, 6]]]]]",
                            "ragged int8[1, (?), (?), (?), (?)] [[[[[1]], [[]], [[2, 3]]]]]"}),
      "{a: ragged<rank=1> int8[2], b: int8[(?)]}[1, ?, 3, 1] [[[[{a: [1, 2], b: [1]}], [{a: [3, "
      "4], "
      "b: []}], [{a: [5, 6], b: [2, 3]}]]]]");
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

TEST(FieldOfTest, PathsLeadThroughStructures) {
  Value value = Read("[{s: [{x: int8[], t: {y: int8[]}}]}] [{s: [{x: 1, t: {y: 2}}]}]");
  auto at = [&](std::vector<std::string> path) {
    auto field = FieldAt(value, path);
    if (!field.ok()) {
      EXPECT_EQ(field.status().code(), absl::StatusCode::kNotFound);
      return Cat("!! ", MessageOf(field.status()));
    }
    return ToString(*field);
  };
  EXPECT_EQ(NumRowsOf(value), 1);
  EXPECT_TRUE(SameValue(*FieldAt(value, {}), value));
  EXPECT_EQ(at({"s", "x"}), "ragged int8[?, (?)] [[1]]");
  EXPECT_EQ(at({"s", "t", "y"}), "ragged int8[?, (?)] [[2]]");
  EXPECT_EQ(at({"z"}), "!! no field `z`; fields: `s`");
  EXPECT_EQ(at({"s", "z"}), "!! `s`: no field `z`; fields: `t`, `x`");
  EXPECT_EQ(at({"s", "x", "z"}),
            "!! `s.x`: field `z`: expected a structure, found `ragged int8[?, (?)]`");
  EXPECT_EQ(FieldOf(*FieldAt(value, std::vector<std::string>{"s"}), "z").status().code(),
            absl::StatusCode::kNotFound);
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
