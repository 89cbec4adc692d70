#include "client/cli/check.h"

#include <fstream>

#include <gmock/gmock.h>

#include "tests/support/native_model.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

using ::testing::AllOf;
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
    EXPECT_THAT(model.warnings, IsEmpty()) << RenderCheck(model);
    EXPECT_FALSE(model.functions.empty()) << model.name;
    examples += model.examples;
  }
  EXPECT_GT(examples, 10);
}

TEST(CheckTest, CountsTheErrorsOfASourceFile) {
  TemporaryFolder folder;
  folder.Write("m/1/model.signet", "def f(x):\n    a = y\n    b = zz(x)\n    return a\n");
  auto checked = CheckModels(folder.path());
  ASSERT_TRUE(checked.ok()) << checked.status();
  ASSERT_EQ(checked->size(), 1u);
  EXPECT_THAT(RenderCheck((*checked)[0]),
              AllOf(HasSubstr("m/1: 2 errors\n"), HasSubstr("\n  error: model.signet:2:9: name"),
                    HasSubstr("\n  error: model.signet:3:9: op or function")));
}

TEST(CheckTest, ReportsAMistakeOnceForAllCallers) {
  TemporaryFolder folder;
  folder.Write("m/1/model.signet",
               "def h(o):\n    return o.b\n\ndef f(o: {a: int32[]}):\n    return h(o)\n\n"
               "def g(o: {a: int64[]}):\n    return h(o)\n");
  auto checked = CheckModels(folder.path());
  ASSERT_TRUE(checked.ok()) << checked.status();
  EXPECT_THAT(RenderCheck((*checked)[0]),
              AllOf(HasSubstr("m/1: 1 error\n"), HasSubstr("\n  error: model.signet:2:14: ")));
}

TEST(CheckTest, IgnoresTheEntriesNextToAModel) {
  TemporaryFolder folder;
  folder.Write("m/1/model.signet", "def f(x):\n    return x\n");
  folder.Write("models/1/notes.txt", "no model");
  folder.Write("m2/data/notes.txt", "no model");
  auto checked = CheckModels(folder.path() / "m");
  ASSERT_TRUE(checked.ok()) << checked.status();
  ASSERT_EQ(checked->size(), 1u);
  EXPECT_THAT((*checked)[0].errors, IsEmpty());
}

TEST(CheckTest, FindsWhatAServerWouldReject) {
  TemporaryFolder folder;
  folder.Write("m/1/model.pb", BinaryModel(R"END(
    format_version: 1
    functions { name: "bad" signature: "(x: float32[2])" result: "y"
                nodes { name: "y" op: "matmul" inputs: "x" inputs: "float32[3, 1] [[1], [2], [3]]" } }
    functions { name: "worse" signature: "(x: float32[2])" result: "y"
                nodes { name: "y" op: "reshape" inputs: "x"
                        attributes { key: "shape" value { literal: "list(3)" } } } }
    functions { name: "good" signature: "(x: float32[2])" result: "x" examples: "'[1, 2]'"
                examples: "'[1, 2, 3]'" examples: "@nothing.json" }
  )END"));
  folder.Write("broken/1/model.signet", "def f(");
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

TEST(CheckTest, ShowsResultsThatTheBodyDetermines) {
  TemporaryFolder folder;
  folder.Write("m/1/model.pb", BinaryModel(R"END(
    format_version: 1
    functions { name: "twice" signature: "(x: float32[2, ?])" result: "y"
                nodes { name: "y" op: "reduce_sum" inputs: "x"
                        attributes { key: "axes" value { int: 1 } } } }
    functions { name: "declared" signature: "(x) -> int64[]" result: "y"
                nodes { name: "y" op: "rank" inputs: "x" } }
    functions { name: "open" signature: "(x, k = 3)" result: "x" }
  )END"));
  auto checked = CheckModels(folder.path());
  ASSERT_TRUE(checked.ok()) << checked.status();
  EXPECT_THAT((*checked)[0].functions, ElementsAre("twice(x: float32[2, ?]) -> float32[2]",
                                                   "declared(x) -> int64[]", "open(x, k = 3)"));
}

// Returns the warnings for a function `f`.
std::vector<std::string> WarningsOf(const std::string& signature, const std::string& nodes) {
  TemporaryFolder folder;
  folder.Write("m/1/model.pb",
               BinaryModel(Cat("format_version: 1 functions { name: 'f' signature: '", signature,
                               "' result: 'y' ", nodes, "} ",
                               "functions { name: '_scaled' signature: '(x, by)' result: 'y' "
                               "nodes { name: 'y' op: 'mul' inputs: 'x' inputs: 'by' } }")));
  auto checked = CheckModels(folder.path());
  if (!checked.ok()) return {checked.status().ToString()};
  EXPECT_THAT((*checked)[0].errors, IsEmpty()) << RenderCheck((*checked)[0]);
  return (*checked)[0].warnings;
}

TEST(CheckTest, WarnsWhereInputsAreAlignedOnlyByPosition) {
  const char* const product = "nodes { name: 'y' op: 'mul' inputs: 'prices' inputs: 'rates' }";
  // One price per item, and one rate per order or per item.
  EXPECT_THAT(
      WarningsOf("(prices: float32[?, ?], rates: float32[?])", product),
      ElementsAre(
          "function `f`: node `y`: `mul`: dimension 1 of `prices` is aligned with dimension "
          "0 of `rates`, because dimensions are aligned from the last one; nothing says "
          "that they are one dimension; write `rates[None, :]` if they are, or "
          "`rates[:, None]` to align the first dimensions"));
  // `reshape` loses the identity of the dimension.
  EXPECT_THAT(WarningsOf("(orders: [{rate: float32[], prices: float32[(?)]}])",
                         "nodes { name: 'rates' op: 'reshape' inputs: 'orders.rate' attributes { "
                         "key: 'shape' value { literal: 'list(-1)' } } } nodes { name: 'y' "
                         "op: 'mul' inputs: 'orders.prices' inputs: 'rates' }"),
              ElementsAre(HasSubstr("dimension 1 of `orders.prices` (elements of `orders.prices`) "
                                    "is aligned with dimension 0 of `rates`")));
  // Rows of different arguments.
  EXPECT_THAT(WarningsOf("(prices: float32[?], rates: float32[?])", product),
              ElementsAre(AllOf(HasSubstr("dimension 0 of `prices`"),
                                HasSubstr("give both one name in the signature"))));
  EXPECT_THAT(WarningsOf("(orders: [{price: float32[]}], users: [{rate: float32[]}])",
                         "nodes { name: 'y' op: 'mul' inputs: 'orders.price' inputs: "
                         "'users.rate' }"),
              ElementsAre(AllOf(HasSubstr("(rows of `orders`)"), HasSubstr("(rows of `users`)"),
                                HasSubstr("`struct_make`"))));
  // A function that is called, also by a loop, is reported once.
  EXPECT_THAT(
      WarningsOf("(prices: float32[?, ?], rates: float32[?])",
                 "nodes { name: 'y' op: 'call' inputs: 'prices' inputs: 'rates' "
                 "attributes { key: 'function' value { function: '_scaled' } } }"),
      ElementsAre(HasSubstr("function `f`: node `y`: function `_scaled`: node `y`: `mul`")));
}

TEST(CheckTest, DoesNotWarnWhereTheAlignmentIsExplicit) {
  const char* const product = "nodes { name: 'y' op: 'mul' inputs: 'prices' inputs: 'rates' }";
  for (const char* signature :
       {"(prices: float32[n, m], rates: float32[m])", "(prices: float32[n], rates: float32[n])",
        "(prices: float32[?, 3], rates: float32[3])", "(prices: float32[?], rates: float32[])",
        "(prices: float32[?], rates: float32[1])", "(prices, rates)"}) {
    EXPECT_THAT(WarningsOf(signature, product), IsEmpty()) << signature;
  }
  const char* const matrix = "(prices: float32[?, ?], rates: float32[?])";
  for (const char* key : {"[None, :]", "[:, None]"}) {
    EXPECT_THAT(WarningsOf(matrix, Cat("nodes { name: 'y' op: 'mul' inputs: 'prices' inputs: "
                                       "'rates",
                                       key, "' }")),
                IsEmpty())
        << key;
  }
  EXPECT_THAT(WarningsOf("(a: [{x: float32[]}], b: [{x: float32[]}])",
                         "nodes { name: 'both' op: 'struct_make' inputs: 'a.x' inputs: 'b.x' "
                         "attributes { key: 'names' value { strings { values: ['a', 'b'] } } } } "
                         "nodes { name: 'y' op: 'mul' inputs: 'both.a' inputs: 'both.b' }"),
              IsEmpty());
  // Each pair of dimensions has one warning. A value and itself have none.
  EXPECT_THAT(WarningsOf("(a: float32[?], b: float32[?])",
                         "nodes { name: 'twice' op: 'add' inputs: 'a' inputs: 'a' } "
                         "nodes { name: 'sum' op: 'add' inputs: 'twice' inputs: 'b' } "
                         "nodes { name: 'y' op: 'mul' inputs: 'sum' inputs: 'b' }"),
              ::testing::SizeIs(1));
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
  auto file = CheckModels("examples/models/weather/model.onnx");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ((*file)[0].name, "weather/1");
  EXPECT_EQ(CheckModels("examples/nothing").status().code(), absl::StatusCode::kNotFound);
  TemporaryFolder empty;
  EXPECT_THAT(MessageOf(CheckModels(empty.path()).status()), HasSubstr("expected models"));
}

// A SavedModel with a function that is served and one that is not.
// Models of other formats are rejected with a hint how to export them.
TEST(CheckTest, ReadsTheSettings) {
  TemporaryFolder folder;
  folder.Write("m/1/model.signet",
               "def f(x: int64[?]) -> int64[?]:\n    return x - reduce_max(x)\n");
  const auto render = [&](const char* settings) {
    folder.Write("m/settings.textproto", settings);
    auto checked = CheckModels(folder.path());
    return checked.ok() ? RenderCheck(checked->at(0)) : std::string(MessageOf(checked.status()));
  };
  EXPECT_THAT(render("batching { max_rows: 8 }"), HasSubstr("m/1: ok"));
  EXPECT_THAT(render("batching { most_rows: 8 }"), HasSubstr("settings.textproto: "));
  EXPECT_THAT(render("batching { max_rows: -1 }"),
              HasSubstr("settings.textproto: batching: max_rows: expected"));
  EXPECT_THAT(render("batching { functions { key: \"f\" value { parameters: \"x\" } } }"),
              AllOf(HasSubstr("function `f`: batch"), HasSubstr("depends on the calls")));
}

TEST(CheckTest, StatesHowToExportOtherFormats) {
  for (const auto& [file, hint] : {std::pair("m.keras", "load it with Keras and call model.export"),
                                   {"m.h5", "load it with Keras and call model.export"},
                                   {"m.tflite", "TensorFlow Lite; export a SavedModel"},
                                   {"model.json", "TensorFlow.js; export a SavedModel"},
                                   {"saved_model.cpb", "without the option experimental_image"},
                                   {"weights.pt", "torch.onnx.export"}}) {
    SCOPED_TRACE(file);
    TemporaryFolder folder;
    folder.Write(Cat("m/1/", file), "x");
    folder.Write("m/1/variables/variables.index", "x");
    for (const char* path : {"m", "m/1"}) {
      SCOPED_TRACE(path);
      auto checked = CheckModels(folder.path() / path);
      ASSERT_TRUE(checked.ok()) << checked.status();
      ASSERT_EQ(checked->size(), 1u);
      EXPECT_EQ((*checked)[0].name, "m/1");
      EXPECT_THAT(RenderCheck((*checked)[0]), HasSubstr(hint));
    }
  }
}

TEST(CheckTest, ChecksSavedModels) {
  const std::string tensor = "dtype: DT_FLOAT tensor_shape { dim { size: -1 } }";
  auto signature = [&](const std::string& name) {
    return Cat("signature_def { key: '", name, "' value { inputs { key: 'x' value { name: 'x:0' ",
               tensor, " } } outputs { key: 'y' value { name: '", name, ":0' ", tensor,
               " } } } } ");
  };
  TemporaryFolder models;
  models.Write(
      "m/00000012/saved_model.pbtxt",
      Cat("saved_model_schema_version: 1 meta_graphs { meta_info_def { tags: 'serve' } ",
          "graph_def { node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: ",
          "DT_FLOAT } } attr { key: 'shape' value { shape { dim { size: -1 } } } } } ",
          "node { name: 'good' op: 'Neg' input: 'x' } ",
          "node { name: 'bad' op: 'PyFunc' input: 'x' } } ", signature("good"), signature("bad"),
          "}"));
  for (const char* path : {"m/00000012", "m/00000012/saved_model.pbtxt", "m", ""}) {
    SCOPED_TRACE(path);
    auto checked = CheckModels(models.path() / path);
    ASSERT_TRUE(checked.ok()) << checked.status();
    ASSERT_EQ(checked->size(), 1u);
    const CheckedModel& model = (*checked)[0];
    EXPECT_EQ(model.name, "m/12");
    EXPECT_THAT(model.errors, IsEmpty()) << RenderCheck(model);
    ASSERT_EQ(model.functions.size(), 1u);
    EXPECT_THAT(model.functions[0], HasSubstr("good(x: float32[?])"));
    EXPECT_THAT(model.warnings, ElementsAre(HasSubstr("`bad` is not available: ")));
  }
}

}  // namespace
}  // namespace signet
