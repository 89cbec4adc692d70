// Imports frozen graphs, whose signatures come from the settings of the model or from the graph.

#include "core/frontends/savedmodel/import/frozen_graph.h"

#include <fstream>
#include <random>

#include <gmock/gmock.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "core/frontends/import_model.h"
#include "core/frontends/inspect_model.h"
#include "signet/notation.h"
#include "tests/core/frontends/savedmodel/import/saved_model_text.h"

namespace signet {
namespace {

// Writes a model in the directory `m`, whose version is 1.
class FrozenGraphTest : public testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(Folder()); }

  std::filesystem::path Folder() const { return folder_.path() / "m" / "1"; }

  void WriteGraph(std::string_view text, std::string_view name = kFrozenGraphFile) {
    tensorflow::GraphDef graph;
    ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(std::string(text), &graph));
    bytes_ = graph.SerializeAsString();
    std::ofstream(Folder() / name, std::ios::binary) << bytes_;
  }

  // x and y are placeholders, `scale/w` is a constant; the graph returns x * w + y and checks x.
  void WriteScaling() {
    const std::string shape = AttributeText("shape", "shape { dim { size: -1 } }");
    const std::string dtype = AttributeText("dtype", "type: DT_FLOAT");
    auto node = [](const std::string& name, const std::string& op,
                   const std::vector<std::string>& inputs, const std::string& attributes = "") {
      return Cat("node { ", SavedModelText::NodeText(name, op, inputs, attributes), "} ");
    };
    WriteGraph(
        Cat("versions { producer: 1000 } ", node("in/x", "Placeholder", {}, dtype + shape),
            node("y", "Placeholder", {}, dtype + shape), "node { ",
            SavedModelText::ConstantText("scale/w", "DT_FLOAT", {}, "float_val: 2"), "} ",
            node("scale/mul", "Mul", {"in/x", "scale/w"}, AttributeText("T", "type: DT_FLOAT")),
            node("out", "AddV2", {"scale/mul", "y"}, AttributeText("T", "type: DT_FLOAT")),
            node("nothing", "NoOp", {"^out2"}), node("out2", "Neg", {"scale/mul"}), "node { ",
            SavedModelText::ConstantText("unused", "DT_FLOAT", {}, "float_val: 3"), "} "));
  }

  void WriteSettings(std::string_view text) {
    std::ofstream(folder_.path() / "m" / "settings.textproto") << text;
  }

  std::string Error(const std::filesystem::path& path) const {
    auto model = LoadModel(path, "m", 1, {});
    return model.ok() ? "" : std::string(MessageOf(model.status()));
  }

  // The signature of the only function, and its result.
  std::string Signature() const {
    auto model = LoadModel(Folder(), "m", 1, {});
    if (!model.ok()) return std::string(MessageOf(model.status()));
    auto function = (*model)->FindFunction("serving_default");
    return function.ok() ? (*function)->signature() : std::string(MessageOf(function.status()));
  }

  std::string Call(const std::vector<std::pair<std::string, std::string>>& texts) const {
    auto model = LoadModel(Folder(), "m", 1, {});
    if (!model.ok()) return std::string(MessageOf(model.status()));
    auto function = (*model)->FindFunction("serving_default");
    if (!function.ok()) return std::string(MessageOf(function.status()));
    std::vector<std::pair<std::string, Value>> arguments;
    for (const auto& [name, text] : texts) {
      auto value = ParseValue(text);
      if (!value.ok()) return std::string(MessageOf(value.status()));
      arguments.emplace_back(name, *std::move(value));
    }
    auto result = (*function)->Call({{}, {arguments.begin(), arguments.end()}}, {});
    return result.ok() ? ToString(*result) : std::string(MessageOf(result.status()));
  }

  TemporaryFolder folder_;
  std::string bytes_;
};

TEST_F(FrozenGraphTest, TakesPlaceholdersAndUnusedNodesIfNothingIsStated) {
  WriteScaling();
  EXPECT_EQ(Signature(), "serving_default(*, in_x: float32[?], y: float32[?])");
  EXPECT_EQ(Call({{"in_x", "float32[2] [1, 2]"}, {"y", "float32[2] [10, 20]"}}),
            "dict(out: float32[2]) {out: [12.0, 24.0]}");
  auto model = LoadModel(Folder(), "m", 1, {});
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_THAT((*model)->def().functions[0].doc,
              testing::StartsWith("Signature `serving_default` of the frozen graph"));
}

TEST_F(FrozenGraphTest, TakesWhatTheSettingsState) {
  WriteScaling();
  WriteSettings(
      "frozen_graph { inputs { key: 'image' value: 'in/x:0' } "
      "outputs { key: 'a' value: 'scale/mul' } outputs { key: 'b' value: 'out2:0' } }");
  EXPECT_EQ(Signature(), "serving_default(image: float32[?])");
  EXPECT_EQ(Call({{"image", "float32[1] [3]"}}),
            "dict(a: float32[1], b: float32[1]) {a: [6.0], b: [-6.0]}");
}

// A tensor inside the graph may be an input, as in a SavedModel.
TEST_F(FrozenGraphTest, CutsTheGraphAtAnInput) {
  WriteScaling();
  WriteSettings(
      "frozen_graph { inputs { key: 'scaled' value: 'scale/mul:0' } "
      "inputs { key: 'y' value: 'y:0' } outputs { key: 'out' value: 'out:0' } }");
  EXPECT_EQ(Call({{"scaled", "float32[1] [3]"}, {"y", "float32[1] [1]"}}),
            "dict(out: float32[1]) {out: [4.0]}");
}

TEST_F(FrozenGraphTest, NamesWhatTheSettingsStateWrong) {
  WriteScaling();
  WriteSettings("frozen_graph { outputs { key: 'a' value: 'other:0' } }");
  EXPECT_THAT(Error(Folder()), testing::HasSubstr("output `a`: `other:0` not found"));
  WriteSettings(
      "frozen_graph { inputs { key: 'x' value: 'in/x:0' } "
      "outputs { key: 'a' value: 'out:0' } }");
  EXPECT_THAT(Error(Folder()), testing::HasSubstr("no input has the value of placeholder `y`"));
  WriteSettings("frozen_graph { output { key: 'a' value: 'out:0' } }");
  EXPECT_THAT(Error(Folder()), testing::HasSubstr("settings.textproto: line 1, column 23: "));
}

TEST_F(FrozenGraphTest, ReadsAFileOfAnyName) {
  WriteScaling();
  WriteGraph(
      "node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } } "
      "node { name: 'y' op: 'Neg' input: 'x' }",
      "net.pb");
  auto text = InspectModel(Folder() / "net.pb");
  ASSERT_TRUE(text.ok()) << text.status();
  EXPECT_THAT(*text, testing::HasSubstr("serving_default(x: float32[...])"));
  EXPECT_THAT(*text, testing::HasSubstr("Frozen graph of TensorFlow"));
}

TEST_F(FrozenGraphTest, IsWrittenInTheModelLanguage) {
  WriteScaling();
  const auto folder = folder_.path() / "copy" / "1";
  Status imported = ImportModel(Folder(), folder);
  ASSERT_TRUE(imported.ok()) << imported;
  auto model = LoadModel(folder, "copy", 1, {});
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_TRUE((*model)->FindFunction("serving_default").ok());
  EXPECT_THAT(std::string(MessageOf(ImportModel(folder, Folder()))),
              testing::HasSubstr("has a model of TensorFlow"));
}

// Tables whose contents are constants.
TEST_F(FrozenGraphTest, FillsTables) {
  auto node = [](const std::string& text) { return Cat("node { ", text, "} "); };
  WriteGraph(Cat(
      "versions { producer: 1000 } ",
      node(SavedModelText::NodeText("x", "Placeholder", {},
                                    AttributeText("dtype", "type: DT_STRING"))),
      node(SavedModelText::ConstantText("keys", "DT_STRING", {2},
                                        "string_val: 'a' string_val: 'b'")),
      node(SavedModelText::ConstantText("values", "DT_INT64", {2}, "int64_val: 5 int64_val: 6")),
      node(SavedModelText::ConstantText("none", "DT_INT64", {}, "int64_val: -1")),
      node(SavedModelText::NodeText("table", "HashTableV2", {},
                                    AttributeText("key_dtype", "type: DT_STRING") +
                                        AttributeText("value_dtype", "type: DT_INT64"))),
      node(SavedModelText::NodeText("fill", "InitializeTableV2", {"table", "keys", "values"})),
      node(SavedModelText::NodeText("find", "LookupTableFindV2", {"table", "x", "none"}))));
  EXPECT_EQ(Call({{"x", "string[2] [\"b\", \"c\"]"}}), "dict(find: int64[2]) {find: [6, -1]}");
}

TEST_F(FrozenGraphTest, RejectsOtherFiles) {
  std::ofstream(Folder() / kFrozenGraphFile) << "text";
  EXPECT_THAT(Error(Folder()),
              testing::HasSubstr("frozen_graph.pb: expected a GraphDef, found bytes that do not"));
  std::ofstream(Folder() / kFrozenGraphFile)
      << "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 152535431\n";
  EXPECT_THAT(Error(Folder()), testing::HasSubstr("found a pointer of Git LFS"));
  WriteGraph("");
  EXPECT_THAT(Error(Folder()), testing::HasSubstr("expected a GraphDef with nodes, found none"));
  WriteGraph("node { name: 'x' }");
  EXPECT_THAT(Error(Folder()), testing::HasSubstr("found a node without a name or an operator"));
  WriteGraph("node { name: 'x' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } } }");
  EXPECT_THAT(Error(Folder()), testing::HasSubstr("the signature has no outputs"));
  WriteGraph("node { name: 'x' op: 'NoOp' } node { name: 'x' op: 'NoOp' }");
  EXPECT_THAT(Error(Folder()), testing::HasSubstr("duplicate node `x`"));
  std::filesystem::remove(Folder() / kFrozenGraphFile);
  WriteGraph("node { name: 'x' op: 'NoOp' }", "net.pb");
  EXPECT_THAT(Error(Folder()), testing::HasSubstr("name it frozen_graph.pb"));
}

// Damage is an error or another model, and never a crash.
TEST_F(FrozenGraphTest, SurvivesDamage) {
  WriteScaling();
  const std::string bytes = bytes_;
  std::mt19937 random(7);
  for (int i = 0; i < 300; ++i) {
    std::string damaged = bytes;
    if (i % 3 == 0) damaged.resize(random() % damaged.size());
    for (size_t k = 0; k < 1 + random() % 3 && !damaged.empty(); ++k) {
      damaged[random() % damaged.size()] = static_cast<char>(random());
    }
    std::ofstream(Folder() / kFrozenGraphFile, std::ios::binary) << damaged;
    auto model = LoadModel(Folder(), "m", 1, {});
    if (model.ok()) continue;
    EXPECT_EQ(model.status().code(), absl::StatusCode::kFailedPrecondition) << model.status();
  }
}

}  // namespace
}  // namespace signet
