#include "client/cli/csv.h"

#include <gmock/gmock.h>

#include "core/types/notation/notation.h"

namespace signet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Optional;

// Parses `text` in pieces of `step` bytes.
StatusOr<std::vector<CsvRow>> ParseRows(std::string_view text, size_t step) {
  CsvParser parser;
  std::deque<CsvRow> rows;
  for (; !text.empty(); text.remove_prefix(std::min(step, text.size()))) {
    SIGNET_RETURN_IF_ERROR(parser.Parse(text.substr(0, step), rows));
  }
  SIGNET_RETURN_IF_ERROR(parser.Finish(rows));
  return std::vector<CsvRow>(rows.begin(), rows.end());
}

TEST(CsvTest, SplitsRowsInPiecesOfAnySize) {
  const std::string text = "id,name\r\n1,\"a, \"\"b\"\"\nc\"\n2,\n3,\"\"\n4, x ";
  for (size_t step = 1; step <= text.size(); ++step) {
    SCOPED_TRACE(step);
    auto rows = ParseRows(text, step);
    ASSERT_TRUE(rows.ok()) << rows.status();
    ASSERT_EQ(rows->size(), 5u);
    EXPECT_THAT((*rows)[0],
                ElementsAre(Optional(std::string("id")), Optional(std::string("name"))));
    EXPECT_EQ((*rows)[1][1], "a, \"b\"\nc");
    EXPECT_EQ((*rows)[2][1], std::nullopt);
    EXPECT_EQ((*rows)[3][1], "");
    EXPECT_EQ((*rows)[4][1], " x ");
  }
}

TEST(CsvTest, RejectsLooseQuotes) {
  EXPECT_THAT(MessageOf(ParseRows("a\nx\"y\n", 100).status()), HasSubstr("quotation mark"));
  EXPECT_THAT(MessageOf(ParseRows("a\n\"x\n", 100).status()), HasSubstr("end of the file"));
}

TEST(CsvTest, ReadsIntegersWithSignsAndLeadingZeros) {
  TypeSpec rows = *ParseTypeSpec("[{id: int64[], name: string[]}]");
  auto record = [&](const std::string& cell) {
    return *JsonFromCsvRow({cell, cell}, {"id", "name"}, rows);
  };
  EXPECT_EQ(record("+1"), R"({"id":1,"name":"+1"})");
  EXPECT_EQ(record("007"), R"({"id":7,"name":"007"})");
  EXPECT_EQ(record("-00"), R"({"id":-0,"name":"-00"})");
  EXPECT_EQ(record("009007199254740993"), R"({"id":9007199254740993,"name":"009007199254740993"})");
  EXPECT_EQ(record("+01.50"), R"({"id":1.5,"name":"+01.50"})");
  EXPECT_EQ(record("+-1"), R"({"id":"+-1","name":"+-1"})");
}

TEST(CsvTest, RejectsTextThatIsNotUtf8) {
  TypeSpec records = *ParseTypeSpec("[{name: string[], n: int64[]}]");
  EXPECT_THAT(
      MessageOf(JsonFromCsvRow({"Jos\xe9", "1"}, {"name", "n"}, records).status()),
      HasSubstr("column `name`: expected text in UTF-8, found `Jos\\xe9`; convert the file"));
  EXPECT_THAT(MessageOf(JsonFromCsvRow({"a", "\xff"}, {"name", "n"}, records).status()),
              HasSubstr("column `n`"));
  EXPECT_FALSE(JsonFromCsvRow({"A\xe9"}, {"x"}, *ParseTypeSpec("string[?]")).ok());
  EXPECT_TRUE(JsonFromCsvRow({"Jos\xc3\xa9", "1"}, {"name", "n"}, records).ok());
}

TEST(CsvTest, ReadsCellsByTheTypesOfTheirFields) {
  TypeSpec rows = *ParseTypeSpec(
      "[{id: int64[], name: string[], ok: bool[], x: float32[], tags: string[(?)]}]");
  const std::vector<std::string> columns = {"id", "name", "ok", "x", "tags", "other"};
  auto record = [&](CsvRow row) { return JsonFromCsvRow(row, columns, rows); };
  EXPECT_EQ(*record({"1", "2", "TRUE", ".5", "[\"a\"]", "z"}),
            R"({"id":1,"name":"2","ok":true,"x":0.5,"tags":["a"],"other":"z"})");
  EXPECT_EQ(*record({"x\"y", std::nullopt, "false", "NaN", "[]", std::nullopt}),
            R"({"id":"x\"y","name":"","ok":false,"x":"NaN","tags":[]})");
  EXPECT_EQ(*record({std::nullopt, "a", std::nullopt, std::nullopt, std::nullopt, std::nullopt}),
            R"({"name":"a"})");
  EXPECT_EQ(*record({"1", "a", "true", "1", "[\"a\",\n\"b\"]", "z"}),
            R"({"id":1,"name":"a","ok":true,"x":1,"tags":["a", "b"],"other":"z"})");
  EXPECT_EQ(*record({"1", "a", "true", "1e999", "[]", "-1e999"}),
            R"({"id":1,"name":"a","ok":true,"x":1e999,"tags":[],"other":-1e999})");
  EXPECT_EQ(MessageOf(record({"1"}).status()), "expected 6 cells, one per column, found 1");
}

TEST(CsvTest, ReadsTextForListsOfOneElement) {
  TypeSpec rows = *ParseTypeSpec("[{city: string[1], code: string[1, 1], tags: string[2]}]");
  const std::vector<std::string> columns = {"city", "code", "tags"};
  EXPECT_EQ(*JsonFromCsvRow({"1", "2", "[\"a\",\"b\"]"}, columns, rows),
            R"({"city":"1","code":"2","tags":["a","b"]})");
  EXPECT_EQ(*JsonFromCsvRow({"[\"1\"]", "[", "[\"a\",\"b\"]"}, columns, rows),
            R"({"city":["1"],"code":"[","tags":["a","b"]})");
}

TEST(CsvTest, LeavesOutEmptyCellsThatTheTypeDeclaresAsMissing) {
  TypeSpec rows =
      *ParseTypeSpec("[{a?: string[], b: string[] = \"none\", c: string[], d?: int8[]}]");
  const std::vector<std::string> columns = {"a", "b", "c", "d"};
  auto record = [&](CsvRow row) { return JsonFromCsvRow(row, columns, rows); };
  EXPECT_EQ(*record({"1", "2", "3", "4"}), R"({"a":"1","b":"2","c":"3","d":4})");
  EXPECT_EQ(*record({std::nullopt, std::nullopt, std::nullopt, std::nullopt}), R"({"c":""})");
  EXPECT_EQ(*record({"", "", "", std::nullopt}), R"({"a":"","b":"","c":""})");
}

TEST(CsvTest, ReadsRowsThatAreNotRecords) {
  EXPECT_EQ(*JsonFromCsvRow({"1.5"}, {"x"}, *ParseTypeSpec("float32[?]")), "1.5");
  EXPECT_EQ(*JsonFromCsvRow({"1.5"}, {"x"}, *ParseTypeSpec("string[?]")), "\"1.5\"");
  EXPECT_EQ(
      MessageOf(JsonFromCsvRow({"1", "2"}, {"x", "y"}, *ParseTypeSpec("float32[?]")).status()),
      "expected one column for rows of `float32[?]`, found 2");
}

TEST(CsvTest, WritesRecordsUnderOneHeader) {
  CsvWriter writer;
  EXPECT_EQ(*writer.Write("{\"b\":1,\"a\":\"x, \\\"y\\\"\"}\n{\"a\":null,\"b\":[1,2]}\n"),
            "b,a\n1,\"x, \"\"y\"\"\"\n\"[1,2]\",\n");
  EXPECT_EQ(*writer.Write("{\"b\":2,\"a\":\"\"}\n"), "2,\"\"\n");
  EXPECT_THAT(MessageOf(writer.Write("{\"c\":2}\n").status()), HasSubstr("column `c`"));
}

TEST(CsvTest, KeepsTheTextOfNumbersAndLists) {
  CsvWriter writer;
  EXPECT_EQ(*writer.Write("{\"x\":23.973217,\"y\":1.0,\"z\":[1e20,{\"a\":\"}\\\"\"}]}\n"),
            "x,y,z\n23.973217,1.0,\"[1e20,{\"\"a\"\":\"\"}\\\"\"\"\"}]\"\n");
  EXPECT_EQ(*writer.Write("{ \"y\" : -0.5 , \"x\" : 9007199254740993 }\n"),
            "9007199254740993,-0.5,\n");
  EXPECT_EQ(*writer.Write("{}\n"), ",,\n");
  EXPECT_EQ(writer.Write("{\"x\":}\n").status().code(), absl::StatusCode::kDataLoss);
}

TEST(CsvTest, WritesPlainValuesInOneColumn) {
  CsvWriter writer;
  EXPECT_EQ(*writer.Write("1\n\"x\"\n"), "value\n1\nx\n");
}

}  // namespace
}  // namespace signet
