// Runs every case of every file in $SIGNET_VECTORS_DIR/structured, and prints one line per file.
// proto_batch.json has a separate test, proto_batch_test.cc.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "tests/conformance/isolation.h"
#include "tests/conformance/structured/run_case.h"

namespace signet::structured_vectors {
namespace {

std::filesystem::path VectorsDir() {
  if (const char* dir = std::getenv("SIGNET_VECTORS_DIR")) return dir;
  const char* source = std::getenv("SIGNET_SOURCE_DIR");
  return std::filesystem::path(source == nullptr ? "." : source) / "tests" / "vectors";
}

// The outcomes of the cases of one file.
struct Tally {
  size_t passed = 0;
  size_t failed = 0;
  size_t sizes_needed = 0;
  std::map<std::string, size_t> skipped;  // by what is not built

  size_t num_skipped() const {
    size_t all = 0;
    for (const auto& [what, count] : skipped) all += count;
    return all;
  }
};

void Count(const Json& one, size_t i, const vectors::IsolatedResult& result, Tally& tally) {
  std::string_view text = result.text;
  if (result.finished && text.starts_with(kSkipped)) {
    ++tally.skipped[std::string(text.substr(kSkipped.size()))];
  } else if (result.finished && (text == kPassed || text == kPassedWithSizes)) {
    ++tally.passed;
    tally.sizes_needed += text == kPassedWithSizes;
  } else {
    ++tally.failed;
    ADD_FAILURE() << vectors::NameOfCase(one, i) << ": " << text;
  }
}

// Returns the cases of a file. For a file that is not JSON, returns one case that no runner can
// read.
Json CasesOf(const std::filesystem::path& file) {
  try {
    Json cases = vectors::ReadJsonFile(file);
    return cases.is_array() ? cases : Json::array({cases});
  } catch (const std::exception& thrown) {
    return Json::array({nullptr});
  }
}

TEST(StructuredVectorsTest, AllCasesPass) {
  std::vector<VectorFile> known = VectorFiles();
  size_t all = 0;
  for (const VectorFile& file : known) {
    Json cases = CasesOf(VectorsDir() / "structured" / file.name);
    Tally tally;
    auto results =
        vectors::RunIsolated(cases.size(), [&](size_t i) { return RunCase(file, cases.at(i)); });
    for (size_t i = 0; i < cases.size(); ++i) Count(cases.at(i), i, results[i], tally);
    all += cases.size();
    std::printf("vectors: %s ran %zu passed %zu failed %zu skipped %zu\n",
                std::string(file.name).c_str(), tally.passed + tally.failed, tally.passed,
                tally.failed, tally.num_skipped());
    for (const auto& [what, count] : tally.skipped) {
      std::printf("  not built yet: %s (%zu)\n", what.c_str(), count);
    }
    if (tally.sizes_needed > 0) {
      std::printf("  sizes needed beforehand: %zu\n", tally.sizes_needed);
    }
  }
  EXPECT_GT(all, 0U) << "no cases in " << VectorsDir();
  for (const auto& entry : std::filesystem::directory_iterator(VectorsDir() / "structured")) {
    if (entry.path().extension() != ".json") continue;
    std::string name = entry.path().filename().string();
    bool listed = name == "proto_batch.json" ||
                  std::any_of(known.begin(), known.end(),
                              [&](const VectorFile& file) { return file.name == name; });
    EXPECT_TRUE(listed) << name << ": no runner for this file";
  }
}

// Integers are compared by their values, and not as text, in which 10 is before 9.
TEST(StructuredVectorsTest, SortsIntegerKeysByTheirValues) {
  const Json one = Json::parse(R"json({
    "id": "nest/flatten/integer_keys", "op": "flatten",
    "inputs": {"structure": {"dict": [[10, {"leaf": "c"}], [-1, {"leaf": "a"}], [9, {"leaf": "b"}]]}},
    "args": {"expand_composites": false},
    "expect": {"flat": [{"leaf": "a"}, {"leaf": "b"}, {"leaf": "c"}], "paths": [[-1], [9], [10]]}
  })json");
  const std::vector<VectorFile> files = VectorFiles();
  const auto nests =
      std::find_if(files.begin(), files.end(), [](const auto& f) { return f.name == "nest.json"; });
  ASSERT_NE(nests, files.end());
  EXPECT_EQ(RunCase(*nests, one), kPassed);
}

}  // namespace
}  // namespace signet::structured_vectors
