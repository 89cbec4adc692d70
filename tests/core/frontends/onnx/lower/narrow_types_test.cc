// Types of ONNX narrower than any dtype, by what calls of small models answer.

#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/frontends/import_model.h"
#include "core/frontends/load_model.h"
#include "core/values/builders/value_notation.h"
#include "tests/core/frontends/onnx/onnx_folder.h"

namespace signet {
namespace {

using testing::HasSubstr;

constexpr char kToFloat[] =
    "node { op_type: 'Cast' input: 'z' output: 'y' attribute { name: 'to' type: INT i: 1 } } ";

// A graph from `x` of `elem_type` to `y`.
std::string Graph(int elem_type, const std::string& parts) {
  return Cat("ir_version: 10 opset_import { version: 21 } graph { name: 'g' ",
             "input { name: 'x' type { tensor_type { elem_type: ", elem_type, " } } } ",
             "output { name: 'y' } ", parts, " }");
}

std::string Answer(const std::filesystem::path& folder, std::string_view argument) {
  auto model = LoadModel(folder, "m", 1, {});
  if (!model.ok()) return std::string(MessageOf(model.status()));
  auto main = (*model)->FindFunction("");
  auto answer = (*main)->Call({{*ParseValue(argument)}, {}}, {});
  if (!answer.ok()) return std::string(MessageOf(answer.status()));
  return ToString(*answer);
}

std::string Answer(const std::string& graph, std::string_view argument) {
  return Answer(OnnxFolder(graph).folder().path(), argument);
}

// y = x + the elements of `w`.
std::string Plus(const std::string& w) {
  return Graph(1, Cat("initializer { name: 'w' ", w, " } ",
                      "node { op_type: 'Cast' input: 'w' output: 'f' attribute { name: 'to' type: "
                      "INT i: 1 } } node { op_type: 'Add' input: 'x' input: 'f' output: 'y' }"));
}

TEST(OnnxNarrowTypesTest, ElementsArePackedFromTheLowestBitsOn) {
  const std::pair<const char*, const char*> cases[] = {
      {"data_type: 22 dims: 3 raw_data: '\\x8f\\x07'", "float32[3] [-1.0, -8.0, 7.0]"},
      {"data_type: 22 dims: 3 int32_data: 143 int32_data: 7", "float32[3] [-1.0, -8.0, 7.0]"},
      {"data_type: 21 dims: 3 raw_data: '\\x8f\\x07'", "float32[3] [15.0, 8.0, 7.0]"},
      {"data_type: 26 dims: 4 raw_data: '\\xe4'", "float32[4] [0.0, 1.0, -2.0, -1.0]"},
      {"data_type: 25 dims: 4 raw_data: '\\xe4'", "float32[4] [0.0, 1.0, 2.0, 3.0]"},
      {"data_type: 17 dims: 3 raw_data: '\\x7e\\x01\\xff'", "float32[3] [448.0, 0.001953125, nan]"},
      {"data_type: 18 dims: 2 raw_data: '\\x7f\\x80'", "float32[2] [240.0, nan]"},
      {"data_type: 19 dims: 3 raw_data: '\\x7b\\xfc\\x7d'", "float32[3] [57344.0, -inf, nan]"},
      {"data_type: 20 dims: 2 int32_data: 255 int32_data: 128", "float32[2] [-57344.0, nan]"},
      {"data_type: 23 dims: 2 raw_data: '\\x97'", "float32[2] [6.0, -0.5]"},
      {"data_type: 24 dims: 3 raw_data: '\\x7f\\x80\\xff'", "float32[3] [1.0, 2.0, nan]"},
      {"data_type: 22 dims: 0", "float32[0] []"},
  };
  for (const auto& [w, answer] : cases) EXPECT_EQ(Answer(Plus(w), "float32[] 0"), answer) << w;
  EXPECT_THAT(Answer(Plus("data_type: 22 dims: 3 raw_data: '1'"), "float32[] 0"),
              HasSubstr("tensor `w`: expected 2 bytes for 3 elements of 4 bits, found 1"));
}

TEST(OnnxNarrowTypesTest, ExternalDataIsPackedAsWell) {
  OnnxFolder onnx(
      Plus("data_type: 22 dims: 3 data_location: EXTERNAL "
           "external_data { key: 'location' value: 'w.bin' }"));
  onnx.folder().Write("w.bin", "\x8f\x07");
  EXPECT_EQ(Answer(onnx.folder().path(), "float32[] 0"), "float32[3] [-1.0, -8.0, 7.0]");
  onnx.folder().Write("w.bin", "\x8f");
  EXPECT_THAT(Answer(onnx.folder().path(), "float32[] 0"), HasSubstr("1 are left"));
}

// Arguments are of the wider dtype, and results too.
TEST(OnnxNarrowTypesTest, ParametersAndResultsAreOfTheDTypeThatHoldsThem) {
  std::string negate = "node { op_type: 'Identity' input: 'x' output: 'y' }";
  EXPECT_EQ(Answer(Graph(22, negate), "int8[2] [7, -8]"), "int8[2] [7, -8]");
  EXPECT_EQ(Answer(Graph(21, negate), "uint8[] 15"), "uint8[] 15");
  EXPECT_EQ(Answer(Graph(17, negate), "float16[] 448"), "float16[] 448.0");
}

TEST(OnnxNarrowTypesTest, NodesWithoutOutputsAreNone) {
  EXPECT_EQ(Answer(Graph(22,
                         "node { op_type: 'Identity' input: 'x' } "
                         "node { op_type: 'Neg' input: 'x' output: 'y' }"),
                   "int8[] 1"),
            "int8[] -1");
}

// What an element is cast to or quantized as follows the other input, from wherever that comes.
TEST(OnnxNarrowTypesTest, OtherInputsSayWhichTypeIsMeant) {
  const std::string w = "initializer { name: 'w' data_type: 22 dims: 1 raw_data: '\\x01' } ";
  const std::string one = "initializer { name: 'one' data_type: 1 float_data: 1 } ";
  const std::string moved =
      "node { op_type: 'Identity' input: 'w' output: 'v' } "
      "node { op_type: 'Squeeze' input: 'v' output: 'like' } ";
  std::string graph =
      Graph(1, Cat(w, moved, "node { op_type: 'CastLike' input: 'x' input: 'like' output: 'z' } ",
                   kToFloat));
  EXPECT_EQ(Answer(graph, "float32[4] [8, -9, 2.5, 3.5]"), "float32[4] [-8.0, 7.0, 2.0, 4.0]");
  graph = Graph(1, Cat(w, one, moved,
                       "node { op_type: 'QuantizeLinear' input: 'x' input: 'one' input: 'like' ",
                       "output: 'z' } ", kToFloat));
  EXPECT_EQ(Answer(graph, "float32[4] [100, -100, 2.5, 3]"), "float32[4] [7.0, -8.0, 3.0, 4.0]");
  // Within a function, and a branch.
  std::string branch =
      "g { name: 'b' output { name: 't' } node { op_type: 'CastLike' input: 'x' input: 'w' "
      "output: 't' } }";
  graph = Graph(1, Cat(w, "initializer { name: 'c' data_type: 9 int32_data: 1 } ",
                       "node { op_type: 'If' input: 'c' output: 'z' ",
                       "attribute { name: 'then_branch' type: GRAPH ", branch, " } ",
                       "attribute { name: 'else_branch' type: GRAPH ", branch, " } } ", kToFloat));
  EXPECT_EQ(Answer(graph, "float32[2] [8, -9]"), "float32[2] [-8.0, 7.0]");
}

TEST(OnnxNarrowTypesTest, CastsToPowersOfTwoByRoundMode) {
  auto answer = [](const std::string& mode) {
    std::string attribute =
        mode.empty() ? "" : Cat("attribute { name: 'round_mode' type: STRING s: '", mode, "' } ");
    return Answer(
        Graph(1, Cat("node { op_type: 'Cast' input: 'x' output: 'z' ",
                     "attribute { name: 'to' type: INT i: 24 } ", attribute, "} ", kToFloat)),
        "float32[5] [0.25, 124, 1.1, 3, inf]");
  };
  EXPECT_EQ(answer(""), "float32[5] [0.25, 128.0, 2.0, 4.0, nan]");
  EXPECT_EQ(answer("up"), answer(""));
  EXPECT_EQ(answer("down"), "float32[5] [0.25, 64.0, 1.0, 2.0, nan]");
  EXPECT_EQ(answer("nearest"), "float32[5] [0.25, 128.0, 1.0, 4.0, nan]");
}

TEST(OnnxNarrowTypesTest, TheNativeFormAnswersTheSame) {
  OnnxFolder onnx(
      Graph(1, Cat("initializer { name: 'w' data_type: 17 dims: 2 raw_data: '\\x38\\x40' } ",
                   "node { op_type: 'CastLike' input: 'x' input: 'w' output: 'z' ",
                   "attribute { name: 'saturate' type: INT i: 0 } } ", kToFloat)));
  constexpr char kArgument[] = "float32[4] [1.06, 500, -inf, 0.3]";
  std::string answer = Answer(onnx.folder().path(), kArgument);
  EXPECT_EQ(answer, "float32[4] [1.0, nan, nan, 0.3125]");
  TemporaryFolder native;
  Status imported = ImportModel(onnx.folder().path() / kOnnxFile, native.path() / "m");
  ASSERT_TRUE(imported.ok()) << imported;
  EXPECT_EQ(Answer(native.path() / "m", kArgument), answer);
}

}  // namespace
}  // namespace signet
