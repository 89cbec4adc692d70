// Runs models of other projects, in SIGNET_MODELS_DIR/<format>/<model>, with recorded results.

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/conformance/onnx/onnx_cases.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

// Returns the directory of the models. Prints a message and returns nothing if it is not set.
std::optional<fs::path> ModelsFolder(const char* format) {
  const char* dir = std::getenv("SIGNET_MODELS_DIR");
  if (dir == nullptr) {
    std::printf("models: %s skipped: SIGNET_MODELS_DIR is not set\n", format);
    return std::nullopt;
  }
  fs::path folder = fs::path(dir) / format;
  if (fs::is_directory(folder)) return folder;
  std::printf("models: %s skipped: no folder %s\n", format, folder.c_str());
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

TEST(ModelsTest, SavedModelIsSkipped) {
  auto folder = ModelsFolder("savedmodel");
  if (!folder) GTEST_SKIP();
  std::printf("models: savedmodel ran 0 passed 0 failed 0 skipped %zu (not imported yet)\n",
              FoldersIn(*folder).size());
}

}  // namespace
}  // namespace signet
