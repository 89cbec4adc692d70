#include "core/serving/batching/row_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/values/builders/value_notation.h"

namespace signet {
namespace {

using ::testing::HasSubstr;

Value Parsed(std::string_view text) {
  auto value = ParseValue(text);
  EXPECT_TRUE(value.ok()) << value.status();
  return *value;
}

// Joins the values, compares the result with `expected`, and splits it again.
void ExpectJoined(const std::vector<std::string>& texts, const std::string& expected) {
  SCOPED_TRACE(expected);
  std::vector<Value> values;
  std::vector<RowLayout::Parts> parts;
  for (const std::string& text : texts) values.push_back(Parsed(text));
  for (const Value& value : values) parts.push_back(value.components());
  auto layout = RowLayout::Make(values[0].spec(), nullptr);
  ASSERT_TRUE(layout.ok()) << layout.status();
  auto joined = layout->Join(parts);
  ASSERT_TRUE(joined.ok()) << joined.status();
  const Value whole = Parsed(expected);
  auto made = MakeValue(whole.spec(), *joined);
  ASSERT_TRUE(made.ok()) << made.status();
  EXPECT_EQ(ToString(*made), ToString(whole));

  std::vector<int64_t> rows;
  for (const Value& value : values)
    rows.push_back(layout->CountRows(value.components()).value_or(-1));
  auto split = layout->Split(*joined, rows);
  ASSERT_TRUE(split.ok()) << split.status();
  for (size_t i = 0; i < values.size(); ++i) {
    auto part = MakeValue(values[i].spec(), (*split)[i]);
    ASSERT_TRUE(part.ok()) << part.status();
    EXPECT_EQ(ToString(*part), texts[i]);
  }
}

TEST(RowLayoutTest, JoinsAndSplitsValuesOfEachKind) {
  ExpectJoined({"float32[1, 2] [[1.0, 2.0]]", "float32[2, 2] [[3.0, 4.0], [5.0, 6.0]]"},
               "float32[3, 2] [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]");
  ExpectJoined({R"(string[2] ["ab", ""])", "string[0] []", R"(string[1] ["c"])"},
               R"(string[3] ["ab", "", "c"])");
  ExpectJoined({"ragged int64[2, (?)] [[1, 2], []]", "ragged int64[1, (?)] [[3]]"},
               "ragged int64[3, (?)] [[1, 2], [], [3]]");
  ExpectJoined({"ragged<splits=int32> int64[1, (?), (?)] [[[1], [2, 3]]]",
                "ragged<splits=int32> int64[2, (?), (?)] [[], [[], [4]]]"},
               "ragged<splits=int32> int64[3, (?), (?)] [[[1], [2, 3]], [], [[], [4]]]");
  ExpectJoined({R"({a: int64[], b: string[(?)]}[1] [{a: 1, b: ["x"]}])",
                R"({a: int64[], b: string[(?)]}[2] [{a: 2, b: []}, {a: 3, b: ["y", "z"]}])"},
               R"({a: int64[], b: string[(?)]}[3] [{a: 1, b: ["x"]}, {a: 2, b: []}, )"
               R"({a: 3, b: ["y", "z"]}])");
  ExpectJoined({"dict(a: int32[1], b: 3) {a: [1], b: 3}", "dict(a: int32[1], b: 3) {a: [2], b: 3}"},
               "dict(a: int32[2], b: 3) {a: [1, 2], b: 3}");
  ExpectJoined(
      {"sparse int64[2, 3] {indices: [[0, 1], [1, 2]], values: [7, 8], dense_shape: [2, 3]}",
       "sparse int64[1, 3] {indices: [[0, 0]], values: [9], dense_shape: [1, 3]}"},
      "sparse int64[3, 3] {indices: [[0, 1], [1, 2], [2, 0]], values: [7, 8, 9], "
      "dense_shape: [3, 3]}");
}

TEST(RowLayoutTest, JoinsNestedStructures) {
  const std::string fields = "{id: int64[], steps: [{texts: string[(?)]}]}";
  ExpectJoined({fields + R"([1] [{id: 1, steps: [{texts: ["a"]}, {texts: []}]}])",
                fields + R"([2] [{id: 2, steps: []}, {id: 3, steps: [{texts: ["b", "c"]}]}])"},
               fields + R"([3] [{id: 1, steps: [{texts: ["a"]}, {texts: []}]}, )"
                        R"({id: 2, steps: []}, {id: 3, steps: [{texts: ["b", "c"]}]}])");
}

TEST(RowLayoutTest, OpensTheNumberOfRows) {
  for (auto [type, open] : std::vector<std::pair<std::string, std::string>>{
           {"float32[2, 3]", "float32[?, 3]"},
           {"ragged int64[2, (?)]", "ragged int64[?, (?)]"},
           {"{a: int64[], b: float32[3]}[2]", "[{a: int64[], b: float32[3]}]"},
           {"tuple(int32[4], None)", "tuple(int32[?], None)"}}) {
    auto made = RowLayout::WithOpenRows(*ParseTypeSpec(type));
    ASSERT_TRUE(made.ok()) << made.status();
    EXPECT_EQ(made->ToString(), open);
  }
}

TEST(RowLayoutTest, RejectsTypesWithoutRows) {
  for (auto [type, path] : std::vector<std::pair<std::string, std::string>>{
           {"float32[]", "expected a type with rows, found `float32[]`"},
           {"dict(a: int32[2], b: int32[])", "`b`: expected a type with rows"},
           {"{a: int32[]}", "expected a type with rows"},
           {"3", "expected a type with rows"},
           {"any", "expected a type with rows"}}) {
    auto layout = RowLayout::Make(*ParseTypeSpec(type), nullptr);
    EXPECT_THAT(std::string(MessageOf(layout.status())), HasSubstr(path)) << type;
  }
}

TEST(RowLayoutTest, RejectsValuesThatDifferInOtherSizes) {
  const Value a = Parsed("float32[1, 2] [[1.0, 2.0]]");
  const Value b = Parsed("float32[1, 3] [[1.0, 2.0, 3.0]]");
  auto layout = RowLayout::Make(a.spec(), nullptr);
  ASSERT_TRUE(layout.ok());
  const RowLayout::Parts parts[] = {a.components(), b.components()};
  EXPECT_FALSE(layout->Join(parts).ok());
}

TEST(RowLayoutTest, CountsNoRowsIfPartsDiffer) {
  const Value value = Parsed("tuple(int32[2], int32[3]) [[1, 2], [3, 4, 5]]");
  auto layout = RowLayout::Make(value.spec(), nullptr);
  ASSERT_TRUE(layout.ok());
  EXPECT_EQ(layout->CountRows(value.components()), std::nullopt);
}

}  // namespace
}  // namespace signet
