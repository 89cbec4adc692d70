// Runs models of other projects, in SIGNET_MODELS_DIR/<format>/<model>, with recorded results.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/conformance/onnx/onnx_cases.h"
#include "tests/conformance/savedmodel/saved_model_cases.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

// Returns the directory of the models. Prints a message and returns nothing if it is not set.
std::optional<fs::path> ModelsFolder(const char* format) {
  const char* dir = std::getenv("SIGNET_MODELS_DIR");
  if (dir != nullptr && fs::is_directory(fs::path(dir) / format)) return fs::path(dir) / format;
  std::printf("skipped: results of real models (%s) need SIGNET_MODELS_DIR\n", format);
  return std::nullopt;
}

std::set<fs::path> FoldersIn(const fs::path& folder) {
  std::set<fs::path> out;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory()) out.insert(entry.path());
  }
  return out;
}

TEST(ModelsTest, Onnx) {
  auto folder = ModelsFolder("onnx");
  if (!folder) GTEST_SKIP();
  const char* only = std::getenv("SIGNET_ONNX_CASES");  // part of a name
  OnnxRunner runner;
  int counts[3] = {};
  for (const fs::path& path : FoldersIn(*folder)) {
    std::string name = path.filename().string();
    if (only != nullptr && name.find(only) == std::string::npos) continue;
    std::ifstream file(path / "cases.json");
    auto cases = nlohmann::json::parse(file, nullptr, false);
    ASSERT_FALSE(cases.is_discarded()) << path;
    OnnxTolerance tolerance{cases.at("rtol"), cases.at("atol")};
    OnnxOutcome outcome = runner.Run(path, tolerance, cases.at("sets"));
    ++counts[static_cast<int>(outcome.verdict)];
    EXPECT_EQ(outcome.verdict, OnnxVerdict::kPass) << name << ": " << outcome.why;
  }
  std::printf("models: onnx ran %d passed %d refused %d differ %d\n",
              counts[0] + counts[1] + counts[2], counts[0], counts[1], counts[2]);
}

TEST(ModelsTest, SavedModel) {
  auto folder = ModelsFolder("savedmodel");
  if (!folder) GTEST_SKIP();
  const char* only = std::getenv("SIGNET_SAVEDMODEL_CASES");  // part of a name
  SavedModelRunner runner;
  int models[3] = {};  // passed, failed, and without any case that is served
  int calls = 0;
  std::vector<std::string> notes;
  for (const fs::path& path : FoldersIn(*folder)) {
    std::string name = path.filename().string();
    if (only != nullptr && name.find(only) == std::string::npos) continue;
    const SavedModelOutcome outcome = runner.Run(path);
    calls += outcome.passed;
    ++models[outcome.failed > 0 ? 1 : outcome.passed > 0 ? 0 : 2];
    for (const std::string& failure : outcome.failures) ADD_FAILURE() << name << ": " << failure;
    for (const std::string& reason : outcome.not_imported) {
      notes.push_back(name + ": " + reason);
    }
  }
  std::printf("models: savedmodel ran %d passed %d failed %d not imported %d; calls passed %d\n",
              models[0] + models[1] + models[2], models[0], models[1], models[2], calls);
  for (const std::string& note : notes) std::printf("models: not imported: %s\n", note.c_str());
}

}  // namespace
}  // namespace signet
