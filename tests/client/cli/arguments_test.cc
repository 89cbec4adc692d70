#include "client/cli/arguments.h"

#include <gmock/gmock.h>

#include "core/values/builders/value_notation.h"

namespace signet {
namespace {

StatusOr<std::string> FromFake(const std::string& path) {
  if (path == "-") return std::string("[1]");
  if (path == "file.json") return std::string("{\"a\": 1}");
  return NotFound("no file");
}

std::string JsonText(const ClientArgument& argument) { return std::get<Json>(argument).text; }

TEST(ArgumentsTest, SendsJsonUnchanged) {
  struct Row {
    const char* word;
    const char* json;
  };
  const Row kRows[] = {
      {"1", "1"},
      {"-1.50", "-1.50"},
      {"9007199254740993", "9007199254740993"},
      {"[1, [2]]", "[1, [2]]"},
      {"{\"a\": null}", "{\"a\": null}"},
      {"\"text\"", "\"text\""},
      {"true", "true"},
      {"True", "true"},
      {"None", "null"},
      {"text", "\"text\""},
      {"two words", "\"two words\""},
      {"a \"b\"", "\"a \\\"b\\\"\""},
      {"[1, 2", "[1, 2"},
      {" {\"a\": NaN}", " {\"a\": NaN}"},
      {"\"text", "\"text"},
      {"", "\"\""},
      {"NaN", "\"NaN\""},
      {"1e999", "1e999"},
      {"-1e999", "-1e999"},
      {" 1E+999 ", " 1E+999 "},
      {"1e999x", "\"1e999x\""},
      {"+1", "\"+1\""},
      {"01", "\"01\""},
      {"1=2", "\"1=2\""},
      {"@file.json", "{\"a\": 1}"},
      {"-", "[1]"},
      {"\xff\xfe", "{\"b64\": \"//4=\"}"},
  };
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.word);
    CallSpec call;
    ASSERT_TRUE(AddArguments({row.word}, call, FromFake).ok());
    ASSERT_EQ(call.args.size(), 1u);
    EXPECT_EQ(JsonText(call.args[0]), row.json);
  }
}

TEST(ArgumentsTest, AcceptsValuesInTheNotation) {
  const char* const kValues[] = {
      "int64[] 3",
      "float32[2] [1.0, 2.5]",
      "string[] \"x\"",
      "ragged int64[2, (?)] [[1, 2], []]",
      "sparse int64[3] {indices: [[1]], values: [7], dense_shape: [3]}",
      "{b: int64[], a: string[]} {b: 1, a: \"x\"}",
      "{a: int64[]}[1] [{a: 1}]",
      "shop.Money<currency=\"USD\">(amount: float64[1]) {amount: [2.0]}",
      "dict(a: int64[], b: 3) {a: 1, b: 3}",
  };
  for (const char* word : kValues) {
    SCOPED_TRACE(word);
    CallSpec call;
    ASSERT_TRUE(AddArguments({word, Cat("x=", word)}, call, FromFake).ok());
    EXPECT_EQ(ToString(std::get<Value>(call.args.at(0))), word);
    EXPECT_EQ(ToString(std::get<Value>(call.kwargs.at(0).second)), word);
  }
  // A word that does not begin like a value is text. A word that begins like one must be one.
  for (const char* word : {"float32[]", "list of things", "int64[] and more", "any"}) {
    SCOPED_TRACE(word);
    CallSpec call;
    ASSERT_TRUE(AddArguments({word}, call, FromFake).ok());
    EXPECT_EQ(JsonText(call.args[0]), Cat("\"", word, "\""));
  }
  CallSpec call;
  Status status = AddArguments({"int64[2] [1, 2, 3]"}, call, FromFake);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("a list of 3"));
}

TEST(ArgumentsTest, FindsTheNameOfTheFunction) {
  for (const char* word : {"predict", "_f", "none", "TRUE", "nan", "f3"}) {
    EXPECT_TRUE(IsFunctionWord(word)) << word;
  }
  for (const char* word : {"True", "False", "None", "true", "false", "null", "NaN", "Infinity", "3",
                           "-1", "\"text\"", "[1]", "x=3", "two words", "@file", "-", ""}) {
    EXPECT_FALSE(IsFunctionWord(word)) << word;
  }
}

TEST(ArgumentsTest, AcceptsKeywords) {
  CallSpec call;
  ASSERT_TRUE(AddArguments({"1", "limit=3", "text=a=b", "recipe=@file.json"}, call, FromFake).ok());
  ASSERT_EQ(call.kwargs.size(), 3u);
  EXPECT_EQ(call.kwargs[0].first, "limit");
  EXPECT_EQ(JsonText(call.kwargs[0].second), "3");
  EXPECT_EQ(JsonText(call.kwargs[1].second), "\"a=b\"");
  EXPECT_EQ(JsonText(call.kwargs[2].second), "{\"a\": 1}");
}

TEST(ArgumentsTest, AcceptsKeywordsOfAnyText) {
  CallSpec call;
  ASSERT_TRUE(
      AddArguments({"\"quoted\"", "\"odd key\"=3", "\"\"=4", "\"a\\\"=\"=5"}, call, FromFake).ok());
  ASSERT_EQ(call.args.size(), 1u);
  ASSERT_EQ(call.kwargs.size(), 3u);
  EXPECT_EQ(call.kwargs[0].first, "odd key");
  EXPECT_EQ(call.kwargs[1].first, "");
  EXPECT_EQ(call.kwargs[2].first, "a\"=");
  EXPECT_EQ(JsonText(call.kwargs[2].second), "5");
}

TEST(ArgumentsTest, RejectsPositionalsAfterKeywords) {
  CallSpec call;
  Status status = AddArguments({"a=1", "2"}, call, FromFake);
  EXPECT_EQ(MessageOf(status),
            "expected positional arguments before keyword arguments, found `2` after `a=...`");
}

TEST(ArgumentsTest, RejectsFilesThatCannotBeRead) {
  CallSpec call;
  EXPECT_FALSE(AddArguments({"@none.json"}, call, FromFake).ok());
  EXPECT_EQ(MessageOf(AddArguments({"@/nonexistent"}, call)),
            "`/nonexistent`: cannot read the file: No such file or directory");
  EXPECT_EQ(MessageOf(AddArguments({"x=@/tmp"}, call)),
            "`/tmp`: cannot read the file: it is a directory");
}

TEST(ArgumentsTest, RejectsNamesOfGraphValues) {
  for (const char* word : {"input:0=[1]", "a/b.c=@x.json", "a.b={\"c\": 1}"}) {
    CallSpec call;
    EXPECT_THAT(std::string(AddArguments({word}, call, FromFake).message()),
                testing::HasSubstr("expected the name of a parameter"));
  }
  for (const char* word : {"https://a.b/c=d", "https://a.b/c?d=[1]", "1.5=1.5", "a:="}) {
    CallSpec call;
    ASSERT_TRUE(AddArguments({word}, call, FromFake).ok()) << word;
    EXPECT_EQ(JsonText(call.args[0]), Cat("\"", word, "\""));
  }
}

TEST(ArgumentsTest, RejectsMisspelledTypes) {
  for (const char* word :
       {"float23[2] [1, 2]", "x=flaot32[2] [1, 2]", "strng[] \"a\"", "int46[]  7"}) {
    CallSpec call;
    EXPECT_THAT(std::string(AddArguments({word}, call, FromFake).message()),
                testing::HasSubstr("; the nearest is `"))
        << word;
  }
  for (const char* word : {"item[2] [1, 2]", "float23[2]", "float23[2][1]", "float23 [2] b"}) {
    CallSpec call;
    ASSERT_TRUE(AddArguments({word}, call, FromFake).ok()) << word;
    EXPECT_EQ(JsonText(call.args[0]), Cat("\"", word, "\""));
  }
}

TEST(ArgumentsTest, ReadsModelNames) {
  EXPECT_EQ(ParseModelName("recipes")->name, "recipes");
  EXPECT_EQ(ParseModelName("recipes/3")->version, 3);
  EXPECT_EQ(ParseModelName("recipes:stable")->label, "stable");
  for (const char* text : {"", "/3", "a/", "a/0", "a/-1", "a/x", "a:", "a/3:stable", "a/3/4",
                           "a/99999999999999999999"}) {
    EXPECT_FALSE(ParseModelName(text).ok()) << text;
  }
}

}  // namespace
}  // namespace signet
