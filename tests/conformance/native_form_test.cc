// Models written in the native form and read again: their functions are the same, and the examples
// of their documentation have the same results. tests/conformance/onnx/onnx_files_test.cc does this
// with ONNX models.

#include <set>

#include <gtest/gtest.h>

#include "client/cli/arguments.h"
#include "client/cli/check.h"
#include "core/formats/signet_wire/wire.h"
#include "core/frontends/load_model.h"
#include "core/model/language/model_folder.h"
#include "core/model/native/loader.h"
#include "core/model/native/model_to_proto.h"
#include "core/serving/call/execute.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

std::set<fs::path> ModelFolders() {
  std::set<fs::path> out;
  for (const char* top : {"examples", "tests/models"}) {
    for (const auto& entry : fs::recursive_directory_iterator(top)) {
      const std::string name = entry.path().filename().string();
      if (name == "model.signet" || name == "model.pb" || name == kOnnxFile) {
        out.insert(entry.path().parent_path());
      }
    }
  }
  return out;
}

// Returns the result of `signet call MODEL FUNCTION EXAMPLE` as JSON, or the error.
std::string RunExample(const std::shared_ptr<const LoadedModel>& model,
                       const PolymorphicFunction& function, const std::string& example,
                       const fs::path& folder) {
  const Limits limits;
  CallSpec call{.model = {.name = model->name()}, .function = function.def().name};
  auto words = SplitWords(example);
  if (!words.ok()) return words.status().ToString();
  Status added = AddArguments(*words, call, [&](const std::string& path) {
    return ReadTextFile(fs::exists(path) ? path : (folder / path).string());
  });
  if (!added.ok()) return added.ToString();
  std::string bytes = RequestOf(call).SerializeAsString();
  wire::Message message{{std::as_bytes(std::span(bytes))}, nullptr};
  auto request = wire::ParseCallRequest(message, limits);
  if (!request.ok()) return request.status().ToString();
  request->result_format.format = DataFormat::kJson;
  auto bound = BindToFunction({model, &function}, *std::move(request));
  if (!bound.ok()) return bound.status().ToString();
  auto output = CallExecution(*std::move(bound), limits).Attempt({});
  if (!output.ok()) return output.status().ToString();
  std::string response;
  for (const Buffer& piece : wire::WriteCallResponse(output->result, 1)) {
    response.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  }
  return response;
}

TEST(NativeFormTest, WrittenModelsHaveTheSameFunctionsAndResults) {
  int examples = 0;
  for (const fs::path& folder : ModelFolders()) {
    SCOPED_TRACE(folder);
    auto direct = LoadModel(folder, "m", 1, {});
    ASSERT_TRUE(direct.ok()) << direct.status();
    TemporaryFolder out;
    Status written = WriteLanguageModel(out.path() / "1", (*direct)->def());
    ASSERT_TRUE(written.ok()) << written;
    auto native = LoadModel(out.path() / "1", "m", 1, {});
    ASSERT_TRUE(native.ok()) << native.status();
    ASSERT_EQ((*direct)->functions().size(), (*native)->functions().size());
    for (size_t i = 0; i < (*direct)->functions().size(); ++i) {
      const PolymorphicFunction& expected = *(*direct)->functions()[i];
      const PolymorphicFunction& found = *(*native)->functions()[i];
      SCOPED_TRACE(expected.def().name);
      EXPECT_EQ(expected.def().name, found.def().name);
      EXPECT_EQ(expected.def().doc, found.def().doc);
      EXPECT_EQ(expected.def().type, found.def().type);
      EXPECT_EQ(expected.def().parameter_docs, found.def().parameter_docs);
      EXPECT_EQ(expected.def().examples, found.def().examples);
      EXPECT_EQ(expected.def().dimension_names, found.def().dimension_names);
      EXPECT_EQ(expected.output(), found.output());
      for (const std::string& example : expected.def().examples) {
        EXPECT_EQ(RunExample(*direct, expected, example, folder),
                  RunExample(*native, found, example, folder))
            << example;
        ++examples;
      }
    }
  }
  EXPECT_GT(examples, 10);
}

TEST(NativeFormTest, WritingIsStable) {
  for (const fs::path& folder : ModelFolders()) {
    SCOPED_TRACE(folder);
    auto def = LoadModelDef(folder, {}, {});
    ASSERT_TRUE(def.ok()) << def.status();
    auto first = ModelToProto(*def);
    ASSERT_TRUE(first.ok()) << first.status();
    auto read = ModelDefFromProto(first->proto, first->captures, {});
    ASSERT_TRUE(read.ok()) << read.status();
    auto second = ModelToProto(*read);
    ASSERT_TRUE(second.ok()) << second.status();
    EXPECT_EQ(first->proto.DebugString(), second->proto.DebugString());
  }
}

}  // namespace
}  // namespace signet
