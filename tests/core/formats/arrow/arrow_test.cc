#include "core/formats/arrow/arrow.h"

#include <gtest/gtest.h>

#include "core/types/notation/notation.h"
#include "core/values/builders/value_notation.h"
#include "tests/core/formats/arrow/arrow_maker.h"

namespace signet {
namespace {

// Slots of types' tables.
const std::vector<FlatWriter::Field> kInt32 = {{0, 4, 32}, {1, 1, 1}};
const std::vector<FlatWriter::Field> kInt64 = {{0, 4, 64}, {1, 1, 1}};

std::string Joined(const std::vector<Buffer>& pieces) {
  std::string out;
  for (const Buffer& piece : pieces) out += piece.text();
  return out;
}

class ArrowTest : public testing::Test {
 protected:
  StatusOr<Value> Read(const Buffer& stream, std::string_view spec) {
    TypeSpec type;
    if (!spec.empty()) type = *ParseTypeSpec(spec);
    return ValueFromArrow(stream, type, limits_);
  }
  StatusOr<Value> Read(const ArrowMaker& maker, std::string_view spec = "") {
    return Read(maker.Stream(), spec);
  }
  // Returns the value that is read, in the notation, or the error message.
  std::string Text(const ArrowMaker& maker, std::string_view spec = "") {
    auto value = Read(maker, spec);
    return value.ok() ? ToString(*value) : std::string(MessageOf(value.status()));
  }

  Limits limits_;
};

TEST_F(ArrowTest, ValuesGoThereAndBack) {
  const char* const kValues[] = {
      "{}[0] []",
      "[{}] [{}, {}]",
      "{a: int32[], b: string[], c: float32[2]} {a: 1, b: \"x\", c: [1.5, 2.5]}",
      "{a: int64[?], b: ragged int8[?, (?)], c: [{d: bool[]}]} {a: [1, 2], b: [[1], []], c: [{d: "
      "true}]}",
      "[{a: int32[]}] [{a: 1}, {a: 2}]",
      "[{a: int32[]}] []",
      "[{b: bool[], c: bool[2]}] [{b: true, c: [false, true]}, {b: false, c: [true, true]}]",
      "[{i8: int8[], u8: uint8[], i16: int16[], u16: uint16[], u32: uint32[], u64: uint64[]}] "
      "[{i8: -1, u8: 255, i16: -2, u16: 65535, u32: 4294967295, u64: 18446744073709551615}]",
      "[{f16: float16[], f32: float32[], f64: float64[]}] [{f16: 0.5, f32: 0.1, f64: 0.1}]",
      "[{s: string[]}] [{s: \"\"}, {s: \"soup\"}, {s: \"\\xff\"}]",
      "[{s: string[(?)]}] [{s: [\"a\", \"b\"]}, {s: []}]",
      "[{m: float32[2, 3]}] [{m: [[1, 2, 3], [4, 5, 6]]}]",
      "[{m: float32[0]}] [{m: []}, {m: []}]",
      "[{r: int64[(?)], n: int64[(?), (?)], d: int32[(?), 2]}] "
      "[{r: [1], n: [[1], [], [2, 3]], d: [[1, 2]]}, {r: [], n: [], d: []}]",
      "[{a: {b: int32[], c: {d: string[]}}}] [{a: {b: 1, c: {d: \"x\"}}}]",
      "[{a: [{b: int32[], c: int32[(?)], e: [{f: bool[]}]}]}] "
      "[{a: [{b: 1, c: [1, 2], e: []}, {b: 2, c: [], e: [{f: true}]}]}, {a: []}]",
      "{a: int64[]}[2, ?] [[{a: 1}], [{a: 2}, {a: 3}]]",
      "{a: int64[]}[2, 2] [[{a: 1}, {a: 4}], [{a: 2}, {a: 3}]]",
      "float32[3] [1, 2, 3]",
      "float32[2, 2] [[1, 2], [3, 4]]",
      "int32[] 7",
      "string[2] [\"a\", \"\"]",
      "ragged int64[2, (?)] [[1, 2], []]",
      "ragged<splits=int32> float32[2, (?)] [[1, 2], []]",
      "ragged int64[2, (?), (2)] [[[1, 2]], []]",
      "ragged string[2, (?), (?)] [[[\"a\"], []], []]",
      "dict(a: int32[2], b: ragged int32[2, (?)], c: [{d: bool[]}]) "
      "{a: [1, 2], b: [[1], []], c: [{d: true}, {d: false}]}",
  };
  for (const char* text : kValues) {
    SCOPED_TRACE(text);
    auto value = ParseValue(text);
    ASSERT_TRUE(value.ok()) << value.status();
    auto pieces = ArrowFromValue(*value);
    ASSERT_TRUE(pieces.ok()) << pieces.status();
    auto read = ValueFromArrow(Buffer::Copy(Joined(*pieces)), value->spec(), limits_);
    ASSERT_TRUE(read.ok()) << read.status();
    Components components(value->components().begin(), value->components().end());
    EXPECT_EQ(ToString(*read), ToString(Value::Trusted(ExactSpecOf(*value), components)));
  }
}

TEST_F(ArrowTest, RejectsValuesThatNoColumnCanHold) {
  const std::pair<const char*, const char*> kCases[] = {
      {"[{a: bfloat16[]}] [{a: 1}]", "`a`: unsupported dtype `bfloat16`; Arrow has no such type"},
      {"complex64[1] [1]", "unsupported dtype `complex64`; Arrow has no such type"},
      {"3", "expected a structure, tensor, ragged value, or record of these, found `3`"},
      {"dict(a: int32[2], b: int32[1]) {a: [1, 2], b: [1]}",
       "expected columns with the same number of rows, found 2 rows in `a` and 1 in `b`"},
  };
  for (const auto& [text, rejection] : kCases) {
    SCOPED_TRACE(text);
    auto pieces = ArrowFromValue(*ParseValue(text));
    EXPECT_EQ(MessageOf(pieces.status()), rejection);
  }
}

TEST_F(ArrowTest, ColumnsShowTheirTypes) {
  ArrowMaker maker({
      {"half", arrow::kFloatingPoint},
      {"double", arrow::kFloatingPoint, {{0, 2, 2}}},
      {"day", arrow::kDate, {{0, 2, 0}}},
      {"date", arrow::kDate},
      {"time", arrow::kTime},
      {"instant", arrow::kTimestamp, {{0, 2, 3}}},
      {"price", arrow::kDecimal, {{2, 4, 64}}},
      {"hash", arrow::kFixedSizeBinary, {{0, 4, 2}}},
      {"few", arrow::kList, {}, {{"item", arrow::kInt, kInt32}}},
      {"many", arrow::kLargeList, {}, {{"item", arrow::kInt, kInt64}}},
      {"three", arrow::kFixedSizeList, {{0, 4, 3}}, {{"item", arrow::kBool}}},
      {"labels",
       arrow::kMap,
       {},
       {{"e", arrow::kStruct, {}, {{"k", arrow::kUtf8}, {"v", arrow::kUtf8}}}}},
  });
  EXPECT_EQ(
      Text(maker),
      "{half: float16[], double: float64[], day: int32[], date: int64[], time: int32[], instant: "
      "int64[], price: int64[], hash: string[], few: int32[(?)], many: "
      "int64[(?)], three: bool[3], labels: [{key: string[], value: string[]}]}[0] []");
}

const std::vector<ArrowTestField> kOneInt = {{"x", arrow::kInt, kInt32}};
const std::vector<ArrowTestField> kOneList = {
    {"x", arrow::kList, {}, {{"item", arrow::kInt, kInt32}}}};
const std::vector<ArrowTestField> kOneText = {{"x", arrow::kUtf8}};

TEST_F(ArrowTest, BatchesAreRowsOneAfterTheOther) {
  ArrowMaker maker({{"x", arrow::kList, {}, {{"item", arrow::kUtf8}}}, {"y", arrow::kBool}});
  maker.AddBatch(2, {{2, 0}, {2, 0}, {2, 0}},
                 {"", Bytes<int32_t>({0, 2, 2}), "", Bytes<int32_t>({0, 1, 3}), "abb", "", "\x01"});
  maker.AddBatch(0, {{0, 0}, {0, 0}, {0, 0}}, {"", "", "", "", "", "", ""});
  maker.AddBatch(1, {{1, 0}, {1, 0}, {1, 0}},
                 {"", Bytes<int32_t>({0, 1}), "", Bytes<int32_t>({0, 1}), "c", "", "\x01"});
  EXPECT_EQ(Text(maker, "[{x: string[(?)], y: bool[]}]"),
            "{x: string[(?)], y: bool[]}[3] [{x: [\"a\", \"bb\"], y: True}, {x: [], y: False}, "
            "{x: [\"c\"], y: True}]");
}

TEST_F(ArrowTest, SlicesOfListsAndTextStartAtZero) {
  ArrowMaker lists(kOneList);
  lists.AddBatch(2, {{2, 0}, {6, 0}},
                 {"", Bytes<int32_t>({1, 3, 4}), "", Bytes<int32_t>({0, 1, 2, 3, 4, 5})});
  EXPECT_EQ(Text(lists, "[{x: int32[(?)]}]"), "{x: int32[(?)]}[2] [{x: [1, 2]}, {x: [3]}]");
  EXPECT_EQ(Text(lists), "{x: ragged<splits=int32> int32[(?)]}[2] [{x: [1, 2]}, {x: [3]}]");
  ArrowMaker text(kOneText);
  text.AddBatch(2, {{2, 0}}, {"", Bytes<int32_t>({1, 3, 4}), "abbcd"});
  EXPECT_EQ(Text(text), "{x: string[]}[2] [{x: \"bb\"}, {x: \"c\"}]");
}

TEST_F(ArrowTest, ListsOfOneLengthAreDense) {
  ArrowMaker maker(kOneList);
  maker.AddBatch(2, {{2, 0}, {4, 0}},
                 {"", Bytes<int32_t>({0, 2, 4}), "", Bytes<int32_t>({1, 2, 3, 4})});
  EXPECT_EQ(Text(maker, "[{x: int32[2]}]"), "{x: int32[2]}[2] [{x: [1, 2]}, {x: [3, 4]}]");
  EXPECT_EQ(Text(maker, "int32[?, ?]"), "int32[2, 2] [[1, 2], [3, 4]]");
  EXPECT_EQ(Text(maker, "int32[...]"), "int32[2, 2] [[1, 2], [3, 4]]");
  EXPECT_EQ(Text(maker, "ragged int32[?, (?)]"), "ragged int32[2, (?)] [[1, 2], [3, 4]]");
  EXPECT_EQ(Text(maker, "[{x: int32[3]}]"),
            "`x`: expected lists of length 3 for `int32[?, 3]`, found length 2");
  maker.AddBatch(1, {{1, 0}, {1, 0}}, {"", Bytes<int32_t>({0, 1}), "", Bytes<int32_t>({5})});
  EXPECT_EQ(Text(maker, "[{x: int32[?]}]"),
            "`x`: expected lists of length 2 for `int32[?, ?]`, the length of the first list, "
            "found length 1");
}

TEST_F(ArrowTest, NullsAreRowsOfZero) {
  ArrowMaker maker({{"x", arrow::kInt, kInt32, {}, true}});
  maker.AddBatch(3, {{3, 1}}, {"\x05", Bytes<int32_t>({1, 99, 3})});
  EXPECT_EQ(Text(maker, "[{x: int32[(?)]}]"), "{x: int32[(?)]}[3] [{x: [1]}, {x: []}, {x: [3]}]");
  EXPECT_EQ(Text(maker, "[{x: int32[]}]"),
            "`x`: expected `int32[?]` without nulls, found 1 null; nulls require a default (`x: "
            "float32[] = nan`), an "
            "additional dimension with rows of 0 or 1, or an optional field (`x?: float32[]`)");
  EXPECT_EQ(Text(maker), Text(maker, "[{x: int32[]}]"));
  // Not counted: below 0; and a bitmap without nulls.
  maker = ArrowMaker(kOneInt);
  maker.AddBatch(2, {{2, -1}}, {"\x02", Bytes<int32_t>({1, 2})});
  maker.AddBatch(1, {{1, 0}}, {std::string(1, '\0'), Bytes<int32_t>({3})});
  EXPECT_EQ(Text(maker, "[{x: int32[(?)]}]"), "{x: int32[(?)]}[3] [{x: []}, {x: [2]}, {x: [3]}]");
}

TEST_F(ArrowTest, NullAndMissingColumnsAreReadAsTheTypeDeclares) {
  ArrowMaker maker({{"x", arrow::kInt, kInt32, {}, true}});
  maker.AddBatch(3, {{3, 1}}, {"\x05", Bytes<int32_t>({1, 99, 3})});
  EXPECT_EQ(Text(maker, "[{x: int32[] = -7}]"), "{x: int32[]}[3] [{x: 1}, {x: -7}, {x: 3}]");
  EXPECT_EQ(Text(maker, "[{x?: int32[]}]"), "{x?: int32[]}[3] [{x: 1}, {x: None}, {x: 3}]");
  EXPECT_EQ(Text(maker, "(int32[?] = 0)"), "int32[3] [1, 0, 3]");
  EXPECT_EQ(Text(maker, "dict(x: (int32[?] = 0))"), "dict(x: int32[3]) {x: [1, 0, 3]}");
  // Columns that are not there.
  EXPECT_EQ(Text(maker,
                 "[{z: string[] = \"none\", y?: float32[2], x: int32[] = 0, "
                 "w: int64[(?)] = []}]"),
            "{z: string[], y?: float32[2], x: int32[], w: int64[(?)]}[3] "
            "[{z: \"none\", y: None, x: 1, w: []}, {z: \"none\", y: None, x: 0, w: []}, "
            "{z: \"none\", y: None, x: 3, w: []}]");
  EXPECT_EQ(Text(maker, "[{x?: int32[], y: int8[]}]"),
            "`y`: no such column; columns: `x`; a field that may be missing is declared as "
            "optional or with a default");
  // A default that is not needed changes nothing.
  ArrowMaker whole(kOneInt);
  whole.AddBatch(2, {{2, 0}}, {"", Bytes<int32_t>({1, 2})});
  EXPECT_EQ(Text(whole, "[{x: int32[] = 9}]"), Text(whole, "[{x: int32[]}]"));
  // Lists that are null.
  ArrowMaker lists({{"x", arrow::kList, {}, {{"item", arrow::kInt, kInt32, {}, false}}, true}});
  lists.AddBatch(3, {{3, 1}, {5, 0}},
                 {"\x05", Bytes<int32_t>({0, 2, 4, 5}), "", Bytes<int32_t>({1, 2, 98, 99, 3})});
  EXPECT_EQ(Text(lists, "[{x: int32[(?)] = []}]"),
            "{x: int32[(?)]}[3] [{x: [1, 2]}, {x: []}, {x: [3]}]");
  EXPECT_EQ(Text(lists, "[{x: int32[(?)] = [7, 8]}]"),
            "{x: int32[(?)]}[3] [{x: [1, 2]}, {x: [7, 8]}, {x: [3]}]");
  EXPECT_EQ(Text(lists, "[{x?: int32[(?)]}]"),
            "{x?: int32[(?)]}[3] [{x: [1, 2]}, {x: None}, {x: [3]}]");
}

TEST_F(ArrowTest, RejectsUnknownColumnsWhereAskedTo) {
  ArrowMaker maker(
      {{"s", arrow::kStruct, {}, {{"a", arrow::kInt, kInt32}, {"b", arrow::kInt, kInt32}}}});
  maker.AddBatch(1, {{1, 0}, {1, 0}, {1, 0}},
                 {"", "", Bytes<int32_t>({1}), "", Bytes<int32_t>({2})});
  EXPECT_EQ(Text(maker, "[{s: {a: int32[]}}]"), "{s: {a: int32[]}}[1] [{s: {a: 1}}]");
  limits_.reject_unknown_fields = true;
  EXPECT_EQ(Text(maker, "[{s: {a: int32[], b: int32[]}}]").substr(0, 3), "{s:");
  EXPECT_EQ(Text(maker, "[{s: {a: int32[]}}]"),
            "`s.b`: expected one of the columns `a`, found another column");
}

TEST_F(ArrowTest, WritesColumnsInTheOrderOfTheType) {
  for (const char* text :
       {"{z: int8[], a: {y: string[(?)], b: int8[]}}[1] [{z: 1, a: {y: [\"x\"], b: 2}}]",
        "{a: {b: int8[], y: string[(?)]}, z: int8[]}[1] [{a: {b: 2, y: [\"x\"]}, z: 1}]",
        "dict(z: int8[1], a: int8[1]) {z: [1], a: [2]}"}) {
    auto value = ParseValue(text);
    ASSERT_TRUE(value.ok()) << value.status();
    auto pieces = ArrowFromValue(*value);
    ASSERT_TRUE(pieces.ok()) << pieces.status();
    Buffer stream = Buffer::Copy(Joined(*pieces));
    // Without a type, a table has the order of its columns.
    auto read = Read(stream, "");
    ASSERT_TRUE(read.ok()) << read.status();
    std::string names = read->spec().ToString();
    bool is_reversed = std::string_view(text).find("z:") < std::string_view(text).find("a:");
    EXPECT_EQ(names.find("z:") < names.find("a:"), is_reversed) << names;
    auto same = Read(stream, value->spec().ToString());
    ASSERT_TRUE(same.ok()) << same.status();
    EXPECT_TRUE(SameValue(*same, *value));
  }
}

TEST_F(ArrowTest, NullsOfListsAndOfTheirElementsAreLevelsOfTheirOwn) {
  auto make = [](bool list, bool item) {
    ArrowMaker maker({{"x", arrow::kList, {}, {{"item", arrow::kInt, kInt32, {}, item}}, list}});
    // [1, null], null over what is not looked at, [3]
    maker.AddBatch(3, {{3, list ? 1 : 0}, {5, item ? 1 : 0}},
                   {list ? "\x05" : "", Bytes<int32_t>({0, 2, 4, 5}), item ? "\x1d" : "",
                    Bytes<int32_t>({1, 0, 98, 99, 3})});
    return maker;
  };
  EXPECT_EQ(Text(make(true, true), "[{x: int32[(?), (?), (?)]}]"),
            "{x: int32[(?), (?), (?)]}[3] [{x: [[[1], []]]}, {x: []}, {x: [[[3]]]}]");
  EXPECT_EQ(Text(make(true, false), "[{x: int32[(?), (?)]}]"),
            "{x: int32[(?), (?)]}[3] [{x: [[1, 0]]}, {x: []}, {x: [[3]]}]");
  EXPECT_EQ(Text(make(false, true), "[{x: int32[(?), (?)]}]"),
            "{x: int32[(?), (?)]}[3] [{x: [[1], []]}, {x: [[98], [99]]}, {x: [[3]]}]");
  // Either could be meant: the outermost is.
  EXPECT_EQ(
      Text(make(true, true), "[{x: int32[(?), (?)]}]"),
      "`x`: expected `ragged int32[?, (?), (?)]` without nulls, found 1 null; nulls require a "
      "default (`x: float32[] = nan`), an additional dimension with rows of 0 or 1, or an "
      "optional field (`x?: float32[]`)");
  EXPECT_EQ(Text(make(true, true), "[{x: int32[(?)]}]").substr(0, 14), "`x`: expected ");
}

TEST_F(ArrowTest, NullsOfStructsAreThoseOfTheirFields) {
  ArrowMaker maker({{"s",
                     arrow::kStruct,
                     {},
                     {{"a", arrow::kInt, kInt32, {}, true}, {"b", arrow::kUtf8, {}, {}, true}},
                     true}});
  maker.AddBatch(
      3, {{3, 1}, {3, 1}, {3, 0}},
      {"\x06", "\x03", Bytes<int32_t>({1, 2, 3}), "", Bytes<int32_t>({0, 1, 2, 3}), "xyz"});
  EXPECT_EQ(Text(maker, "[{s: {a: int32[(?)], b: string[(?)]}}]"),
            "{s: {a: int32[(?)], b: string[(?)]}}[3] [{s: {a: [], b: []}}, {s: {a: [2], b: "
            "[\"y\"]}}, {s: {a: [], b: [\"z\"]}}]");
  EXPECT_EQ(Text(maker, "[{s: [{a: int32[(?)], b: string[]}]}]"),
            "{s: [{a: int32[(?)], b: string[]}]}[3] [{s: []}, {s: [{a: [2], b: \"y\"}]}, {s: [{a: "
            "[], b: \"z\"}]}]");
  EXPECT_THAT(Text(maker, "[{s: {a: int32[(?)], b: string[]}}]"),
              testing::HasSubstr("`s.b`: expected `string[?]` without nulls, found 1 null"));
  EXPECT_THAT(Text(maker, "[{s: {}}]"), testing::HasSubstr("found 1 null"));
}

TEST_F(ArrowTest, ColumnsOfNullsAreEmptyRows) {
  ArrowMaker maker({{"x", arrow::kNull}});
  maker.AddBatch(2, {{2, 2}}, {});
  EXPECT_EQ(Text(maker, "[{x: string[(?)]}]"), "{x: string[(?)]}[2] [{x: []}, {x: []}]");
  EXPECT_THAT(Text(maker, "[{x: string[]}]"),
              testing::HasSubstr("`x`: expected `string[?]` without nulls, found 2 nulls"));
  EXPECT_EQ(Text(maker), "`x`: column type `Null` requires a declared type");
}

TEST_F(ArrowTest, DictionariesAreLookedUp) {
  ArrowMaker maker({{"x", arrow::kUtf8, {}, {}, true, 7}});
  maker.AddDictionary(7, {{2, 0}}, {"", Bytes<int32_t>({0, 1, 3}), "abb"});
  maker.AddBatch(4, {{4, 1}}, {"\x0d", Bytes<int8_t>({1, 9, 0, 1})});
  EXPECT_EQ(Text(maker, "[{x: string[(?)]}]"),
            "{x: string[(?)]}[4] [{x: [\"bb\"]}, {x: []}, {x: [\"a\"]}, {x: [\"bb\"]}]");
  // More behind the old ones, then others in their place; with a null among the values.
  maker.AddDictionary(7, {{1, 0}}, {"", Bytes<int32_t>({0, 1}), "c"}, true);
  maker.AddBatch(2, {{2, 0}}, {"", Bytes<int8_t>({2, 0})});
  maker.AddDictionary(7, {{2, 1}}, {"\x01", Bytes<int32_t>({0, 1, 1}), "z"});
  maker.AddBatch(2, {{2, 0}}, {"", Bytes<int8_t>({1, 0})});
  EXPECT_EQ(Text(maker, "[{x: string[(?)]}]"),
            "{x: string[(?)]}[8] [{x: [\"bb\"]}, {x: []}, {x: [\"a\"]}, {x: [\"bb\"]}, {x: "
            "[\"c\"]}, {x: [\"a\"]}, {x: []}, {x: [\"z\"]}]");
  maker.AddBatch(1, {{1, 0}}, {"", Bytes<int8_t>({2})});
  EXPECT_EQ(Text(maker, "[{x: string[(?)]}]"),
            "`x`: index 2 is out of range for dictionary 7 with 2 values");
  maker.AddBatch(1, {{1, 0}}, {"", Bytes<int8_t>({-1})});
  ArrowMaker none({{"x", arrow::kUtf8, {}, {}, true, 7}});
  none.AddBatch(1, {{1, 0}}, {"", Bytes<int8_t>({-1})});
  EXPECT_EQ(Text(none), "`x`: index -1 is out of range for dictionary 7 with 0 values");
}

TEST_F(ArrowTest, DictionariesHoldAnyValues) {
  ArrowMaker maker({{"x", arrow::kList, {}, {{"item", arrow::kInt, kInt32}}, false, 1}});
  maker.AddDictionary(1, {{2, 0}, {3, 0}},
                      {"", Bytes<int32_t>({0, 2, 3}), "", Bytes<int32_t>({1, 2, 3})});
  maker.AddBatch(3, {{3, 0}}, {"", Bytes<int8_t>({1, 0, 1})});
  EXPECT_EQ(Text(maker, "[{x: int32[(?)]}]"),
            "{x: int32[(?)]}[3] [{x: [3]}, {x: [1, 2]}, {x: [3]}]");
}

TEST_F(ArrowTest, ColumnsAreFoundByNameAndOthersPassedOver) {
  ArrowMaker maker({{"skipped", arrow::kListView, {}, {{"item", arrow::kInt, kInt32}}},
                    {"view", arrow::kUtf8View},
                    {"y", arrow::kInt, kInt32},
                    {"not a name", arrow::kInt, kInt32},
                    {"x", arrow::kInt, kInt64}});
  std::string int64s = Bytes<int64_t>({1, 2});
  std::string int32s = Bytes<int32_t>({3, 4});
  // A view has as many further buffers as the batch says: none is said.
  maker.AddBatch(2, {{2, 0}, {0, 0}, {2, 0}, {2, 0}, {2, 0}, {2, 0}},
                 {"", "", "", "", "", "", "", "", int32s, "", int32s, "", int64s});
  EXPECT_EQ(Text(maker, "[{x: int64[], y: int32[]}]"),
            "{x: int64[], y: int32[]}[2] [{x: 1, y: 3}, {x: 2, y: 4}]");
  EXPECT_EQ(Text(maker, "dict(y: int32[?])"), "dict(y: int32[2]) {y: [3, 4]}");
  EXPECT_EQ(Text(maker, "[{z: int64[]}]"),
            "`z`: no such column; columns: `not a name`, `skipped`, `view`, `x`, `y`; a field that "
            "may be missing is declared as optional or with a default");
  EXPECT_EQ(Text(maker, "[{x: int32[]}]"), "`x`: expected `int32[?]`, found `int64`");
  EXPECT_EQ(Text(maker, "[{view: string[]}]"), "`view`: unsupported column type `Utf8View`");
  EXPECT_EQ(Text(maker, "int32[?]"), "expected one column for `int32[?]`, found 5");
  EXPECT_EQ(Text(maker, "{x: int64[]}"), "expected one row for `{x: int64[]}`, found 2");
  EXPECT_EQ(Text(maker, "{x: int64[]}[3]"), "expected 3 rows for `{x: int64[]}[3]`, found 2");
}

TEST_F(ArrowTest, RejectsNamesThatNoFieldHas) {
  ArrowMaker maker({{"x", arrow::kInt, kInt32}, {"x", arrow::kInt, kInt32}});
  EXPECT_EQ(Text(maker, "[{x: int32[]}]"), "`x`: duplicate column name");
  EXPECT_FALSE(Read(maker).ok());
  EXPECT_FALSE(Read(ArrowMaker({{"a b", arrow::kInt, kInt32}})).ok());
}

TEST_F(ArrowTest, AlignedBuffersAreBorrowed) {
  std::string numbers;
  for (int i = 0; i < 3; ++i) numbers += Bytes<int64_t>({i});
  ArrowMaker maker({{"x", arrow::kInt, kInt64},
                    {"r", arrow::kLargeList, {}, {{"item", arrow::kInt, kInt64}}},
                    {"s", arrow::kLargeUtf8}});
  std::string ends = Bytes<int64_t>({0, 1, 1, 3});
  maker.AddBatch(3, {{3, 0}, {3, 0}, {3, 0}, {3, 0}},
                 {"", numbers, "", ends, "", numbers, "", ends, "abc"});
  Buffer stream = maker.Stream();
  auto value = Read(stream, "[{x: int64[], r: int64[(?)], s: string[]}]");
  ASSERT_TRUE(value.ok()) << value.status();
  auto is_borrowed = [&](const Buffer& buffer) {
    return buffer.data() >= stream.data() && buffer.data() < stream.data() + stream.size();
  };
  ASSERT_EQ(value->components().size(), 5u);  // nrows, r's values and row splits, s, x
  for (size_t i = 1; i <= 4; ++i) EXPECT_TRUE(is_borrowed(value->components()[i].data())) << i;
  EXPECT_TRUE(is_borrowed(value->components()[3].bytes()));

  // What cannot be borrowed is the same value.
  Buffer shifted = Buffer::Copy(" " + maker.text()).Slice(1, stream.size());
  auto copied = Read(shifted, "[{x: int64[], r: int64[(?)], s: string[]}]");
  ASSERT_TRUE(copied.ok()) << copied.status();
  EXPECT_TRUE(SameValue(*copied, *value));
}

TEST_F(ArrowTest, TakesFilesAndOlderStreams) {
  ArrowMaker maker(kOneInt, arrow::kV4);
  maker.AddBatch(1, {{1, 0}}, {"", Bytes<int32_t>({5})});
  std::string stream = maker.text() + std::string(ArrowEnd());
  const std::string kWanted = "{x: int32[]}[1] [{x: 5}]";
  EXPECT_EQ(ToString(*Read(Buffer::Copy(stream), "")), kWanted);
  std::string file = std::string(arrow::kFileMagic) + stream + "the footer";
  EXPECT_EQ(ToString(*Read(Buffer::Copy(file), "")), kWanted);
  EXPECT_EQ(ToString(*Read(Buffer::Copy(maker.File(true)), "")), kWanted);
  EXPECT_EQ(ToString(*Read(Buffer::Copy(maker.File(false)), "")), kWanted);
  // Without the mark before each size.
  std::string old;
  for (size_t at = 0; at < maker.text().size();) {
    uint32_t size;
    std::memcpy(&size, maker.text().data() + at + 4, sizeof(size));
    bool is_batch = at > 0;
    old += maker.text().substr(at + 4, 4 + size + (is_batch ? 8 : 0));
    at += 8 + size + (is_batch ? 8 : 0);
  }
  EXPECT_EQ(ToString(*Read(Buffer::Copy(old), "")), kWanted);
}

TEST_F(ArrowTest, RejectsMalformedStreams) {
  struct Case {
    std::vector<ArrowTestField> fields;
    int64_t rows;
    std::vector<ArrowTestNode> nodes;
    std::vector<std::string> buffers;
    const char* rejection;
  };
  const Case kCases[] = {
      {kOneInt, 2, {{2, 0}}, {"", "1234"}, "`x`: expected a buffer of at least 8 bytes, found 4"},
      {kOneInt, 2, {{1, 0}}, {"", "1234"}, "`x`: expected at least 2 elements, found 1"},
      {kOneInt,
       9,
       {{9, 1}},
       {"\1", std::string(36, 'x')},
       "`x`: expected a buffer of at least 2 bytes, found 1"},
      {kOneInt, 1, {{1, 1}}, {"", "1234"}, "`x`: expected a buffer of at least 1 bytes, found 0"},
      {kOneInt, 1, {}, {}, "`x`: the batch has too few columns"},
      {kOneInt, 1, {{1, 0}}, {""}, "`x`: the batch has too few buffers"},
      {kOneInt, -1, {{1, 0}}, {"", "1234"}, "expected at least 0 rows, found -1"},
      {kOneInt,
       int64_t{1} << 40,
       {{int64_t{1} << 40, 0}},
       {"", ""},
       "1099511627776 elements; the limit is 2147483648 (--max_tensor_elements)"},
      {{{"x", arrow::kFixedSizeList, {{0, 4, 3}}, {{"item", arrow::kInt, kInt32}}}},
       1,
       {{1, 0}, {2, 0}},
       {"", "", "12345678"},
       "`x.item`: expected at least 3 elements, found 2"},
  };
  for (const Case& wrong : kCases) {
    SCOPED_TRACE(wrong.rejection);
    ArrowMaker maker(wrong.fields);
    maker.AddBatch(wrong.rows, wrong.nodes, wrong.buffers);
    EXPECT_EQ(Text(maker), Cat("message 1, at byte ", ArrowMaker(wrong.fields).text().size(), ": ",
                               wrong.rejection));
  }
  const std::pair<std::vector<int32_t>, const char*> kOffsets[] = {
      {{0, 2, 1}, "`x`: offsets decrease or exceed the 2 elements"},
      {{0, 1, 3}, "`x`: offsets decrease or exceed the 2 elements"},
      {{-1, 1, 2}, "`x`: offsets decrease or exceed the 2 elements"},
  };
  for (const auto& [offsets, rejection] : kOffsets) {
    ArrowMaker lists(kOneList);
    lists.AddBatch(2, {{2, 0}, {2, 0}}, {"", Bytes(offsets), "", "12345678"});
    EXPECT_EQ(Text(lists), rejection);
    ArrowMaker text(kOneText);
    text.AddBatch(2, {{2, 0}}, {"", Bytes(offsets), "12"});
    EXPECT_EQ(Text(text), "`x`: offsets decrease or exceed the 2 bytes of text");
  }
}

TEST_F(ArrowTest, RejectsUnsupportedStreams) {
  auto rejection = [&](const std::string& bytes) {
    return std::string(MessageOf(Read(Buffer::Copy(bytes), "").status()));
  };
  ArrowMaker maker(kOneInt);
  std::string schema = maker.text();
  maker.AddBatch(1, {{1, 0}}, {"", "1234"});
  std::string end(ArrowEnd());
  EXPECT_EQ(rejection(""), "the Arrow stream has no schema");
  EXPECT_EQ(rejection("{\"a\": 1}"), "message 0, at byte 0: expected 576791163 bytes, found 4");
  EXPECT_EQ(rejection(schema + schema),
            Cat("message 1, at byte ", schema.size(), ": expected one schema, found a second one"));
  EXPECT_EQ(rejection(maker.text().substr(schema.size())),
            "message 0, at byte 0: expected a schema before the first batch");
  EXPECT_EQ(rejection(schema + end + "x"), Cat("byte ", schema.size() + end.size(),
                                               ": unexpected bytes after the end of the stream"));
  ArrowMaker compressed(kOneInt);
  compressed.AddBatch(1, {{1, 0}}, {"", "1234"}, true);
  EXPECT_EQ(rejection(compressed.text()),
            Cat("message 1, at byte ", schema.size(),
                ": expected uncompressed buffers, found ZSTD compression"));
  EXPECT_EQ(rejection(ArrowMaker(kOneInt, 2).text()),
            "message 0, at byte 0: expected metadata version V4 or later, found V3");
}

TEST_F(ArrowTest, LimitsHoldForColumnsAndForWhatIsMadeOfThem) {
  ArrowMaker maker({{"x", arrow::kUtf8, {}, {}, true, 7}});
  maker.AddDictionary(7, {{1, 0}}, {"", Bytes<int32_t>({0, 1000}), std::string(1000, 'x')});
  maker.AddBatch(100, {{100, 0}}, {"", std::string(100, '\0')});
  limits_.expanded_bytes = 50000;
  EXPECT_EQ(Read(maker).status().code(), absl::StatusCode::kResourceExhausted);
  limits_.expanded_bytes = 200000;
  EXPECT_TRUE(Read(maker).ok());
  limits_.tensor_elements = 99;
  EXPECT_EQ(Read(maker).status().code(), absl::StatusCode::kResourceExhausted);
  limits_ = Limits();
  limits_.names = 1;
  EXPECT_FALSE(Read(ArrowMaker(kOneList)).ok());
  limits_ = Limits();
  limits_.nesting_depth = 1;
  EXPECT_FALSE(Read(ArrowMaker(kOneList)).ok());
  // No bytes at all, and many elements.
  limits_ = Limits();
  ArrowMaker none({{"x", arrow::kFixedSizeBinary, {{0, 4, 0}}}, {"y", arrow::kNull}});
  none.AddBatch(int64_t{1} << 31, {{int64_t{1} << 31, 0}, {int64_t{1} << 31, 0}}, {"", ""});
  EXPECT_EQ(Read(none, "[{x: string[]}]").status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Read(none, "[{y: int8[(?)]}]").status().code(), absl::StatusCode::kResourceExhausted);
}

// A stream that is truncated or changed in any way is read or rejected. A result is a valid value.
TEST_F(ArrowTest, BrokenBytesAreReadOrRejected) {
  ArrowMaker maker(
      {{"x", arrow::kUtf8, {}, {}, true, 7},
       {"r", arrow::kList, {}, {{"item", arrow::kStruct, {}, {{"b", arrow::kBool}}}}}});
  maker.AddDictionary(7, {{2, 0}}, {"", Bytes<int32_t>({0, 1, 3}), "abb"});
  maker.AddBatch(2, {{2, 1}, {2, 0}, {3, 0}, {3, 0}},
                 {"\x01", Bytes<int8_t>({1, 0}), "", Bytes<int32_t>({0, 1, 3}), "", "", "\x05"});
  const char* const kSpec = "[{x: string[(?)], r: [{b: bool[]}]}]";
  ASSERT_TRUE(Read(maker, kSpec).ok());
  limits_.expanded_bytes = 1 << 20;
  auto check = [&](const std::string& bytes) {
    for (const char* spec : {kSpec, ""}) {
      auto value = Read(Buffer::Copy(bytes), spec);
      if (!value.ok()) continue;
      Components components(value->components().begin(), value->components().end());
      EXPECT_TRUE(MakeValue(value->spec(), components).ok());
      // So is it when only some of it is.
      if (*spec == '\0') continue;
      std::vector<bool> needs(components.size());
      for (size_t i = 0; i < needs.size(); ++i) needs[i] = i % 2 == 0;
      EXPECT_TRUE(ValueFromArrow(Buffer::Copy(bytes), *ParseTypeSpec(spec), limits_, needs).ok());
    }
  };
  for (const std::string& whole : {maker.text(), maker.File(false)}) {
    for (size_t i = 0; i < whole.size(); ++i) {
      check(whole.substr(0, i));
      for (int byte : {0, 1, 0x7f, 0x80, 0xff}) {
        std::string changed = whole;
        changed[i] = static_cast<char>(byte);
        check(changed);
      }
    }
  }
}

TEST_F(ArrowTest, KeepsOptionalFieldsOfMatrices) {
  Value value = *ParseValue("{y?: bool[], x: int8[]}[1, 2] [[{y: True, x: 1}, {y: None, x: 2}]]");
  auto pieces = ArrowFromValue(value);
  ASSERT_TRUE(pieces.ok()) << pieces.status();
  std::string stream;
  for (const Buffer& piece : *pieces) stream += piece.text();
  auto read = ValueFromArrow(Buffer::Copy(stream), value.spec(), Limits());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(ToString(*read), ToString(value));
}

}  // namespace
}  // namespace signet
