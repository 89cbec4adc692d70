#include "client/check.h"

#include <fstream>

#include <gmock/gmock.h>

#include "tests/core/model/temporary_folder.h"

namespace signet {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(CheckTest, SplitsWordsAsAShellDoes) {
  EXPECT_THAT(*SplitWords(R"( '[1, "a"]'  x="b c"d \" )"),
              ElementsAre("[1, \"a\"]", "x=b cd", "\""));
  EXPECT_THAT(*SplitWords(""), IsEmpty());
  EXPECT_FALSE(SplitWords("'[1").ok());
}

TEST(CheckTest, AcceptsTheExamplesOfTheProject) {
  auto checked = CheckModels("examples/models");
  ASSERT_TRUE(checked.ok()) << checked.status();
  EXPECT_GE(checked->size(), 10u);
  int examples = 0;
  for (const CheckedModel& model : *checked) {
    EXPECT_THAT(model.errors, IsEmpty()) << RenderCheck(model);
    EXPECT_FALSE(model.functions.empty()) << model.name;
    examples += model.examples;
  }
  EXPECT_GT(examples, 10);
}

TEST(CheckTest, FindsWhatAServerWouldReject) {
  TemporaryFolder folder;
  folder.Write("m/1/model.textproto", R"END(
    format_version: 1
    functions { name: "bad" signature: "(x: float32[2])" result: "y"
                nodes { name: "y" op: "matmul" inputs: "x" inputs: "float32[3, 1] [[1], [2], [3]]" } }
    functions { name: "worse" signature: "(x: float32[2])" result: "y"
                nodes { name: "y" op: "reshape" inputs: "x"
                        attributes { key: "shape" value { literal: "list(3)" } } } }
    functions { name: "good" signature: "(x: float32[2])" result: "x" examples: "'[1, 2]'"
                examples: "'[1, 2, 3]'" examples: "@nothing.json" }
  )END");
  folder.Write("broken/1/model.textproto", "functions {");
  folder.Write("readme/model.md", "");
  auto checked = CheckModels(folder.path());
  ASSERT_TRUE(checked.ok()) << checked.status();
  ASSERT_GE(checked->size(), 2u);
  EXPECT_EQ((*checked)[0].name, "broken/1");
  EXPECT_EQ((*checked)[0].errors.size(), 1u);
  const CheckedModel& model = (*checked)[1];
  std::string text = RenderCheck(model);
  EXPECT_THAT(text, HasSubstr("m/1: 4 errors\n"));
  EXPECT_THAT(text, HasSubstr("error: function `bad`: "));
  EXPECT_THAT(text, HasSubstr("error: function `worse`: "));
  EXPECT_THAT(text, HasSubstr("error: function `good`: example `'[1, 2, 3]'`: "));
  EXPECT_THAT(text, HasSubstr("error: function `good`: example `@nothing.json`: "));
  EXPECT_EQ(model.examples, 3);
}

TEST(CheckTest, FindsModelsAtEachLevel) {
  for (const char* path : {"examples/models/text/1", "examples/models/text/1/",
                           "examples/models/text", "examples/models/text/"}) {
    SCOPED_TRACE(path);
    auto checked = CheckModels(path);
    ASSERT_TRUE(checked.ok()) << checked.status();
    ASSERT_EQ(checked->size(), 1u);
    EXPECT_EQ((*checked)[0].name, "text/1");
    EXPECT_THAT((*checked)[0].errors, IsEmpty()) << RenderCheck((*checked)[0]);
  }
  auto weather = CheckModels("examples/models/weather");  // model.onnx without a version folder
  ASSERT_TRUE(weather.ok()) << weather.status();
  EXPECT_EQ((*weather)[0].name, "weather/1");
  EXPECT_EQ(CheckModels("examples/nothing").status().code(), absl::StatusCode::kNotFound);
  TemporaryFolder empty;
  EXPECT_THAT(MessageOf(CheckModels(empty.path()).status()), HasSubstr("expected models"));
}

}  // namespace
}  // namespace signet
