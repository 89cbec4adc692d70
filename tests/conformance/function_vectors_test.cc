// Runs every case of every file in $SIGNET_VECTORS_DIR/functions, and prints one line per file.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/conformance/function_vectors_cases.h"
#include "tests/conformance/isolation.h"

namespace signet::vectors {
namespace {

std::filesystem::path VectorsDir() {
  if (const char* dir = std::getenv("SIGNET_VECTORS_DIR")) return dir;
  const char* source = std::getenv("SIGNET_SOURCE_DIR");
  return std::filesystem::path(source == nullptr ? "." : source) / "tests" / "vectors";
}

// Returns the cases of a file. For a file that is not JSON, returns one case that no runner can
// read.
Json CasesOf(const std::filesystem::path& file) {
  try {
    Json cases = ReadJsonFile(file.string());
    return cases.is_array() ? cases : Json::array({cases});
  } catch (const std::exception& thrown) {
    return Json::array({nullptr});
  }
}

TEST(FunctionVectorsTest, AllCasesPass) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(VectorsDir() / "functions")) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  size_t all = 0;
  for (const auto& file : files) {
    std::string name = file.filename().string();
    RunCase run = LookupRunner(name);
    if (run == nullptr) {
      ADD_FAILURE() << name << ": no runner for this file";
      continue;
    }
    Json cases = CasesOf(file);
    size_t failed = 0;
    auto results = RunIsolated(cases.size(), [&](size_t i) { return run(cases.at(i)); });
    for (size_t i = 0; i < cases.size(); ++i) {
      if (results[i].finished && results[i].text.empty()) continue;
      ++failed;
      ADD_FAILURE() << NameOfCase(cases.at(i), i) << ": " << results[i].text;
    }
    all += cases.size();
    std::printf("vectors: %s ran %zu passed %zu failed %zu skipped 0\n", name.c_str(), cases.size(),
                cases.size() - failed, failed);
  }
  EXPECT_GT(all, 0U) << "no cases in " << VectorsDir();
}

}  // namespace
}  // namespace signet::vectors
