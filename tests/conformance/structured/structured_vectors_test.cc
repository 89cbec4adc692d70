// Runs every case of every file in $SIGNET_VECTORS_DIR/structured, and prints a line a file.
// proto_batch.json has a test of its own, proto_batch_test.cc.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "tests/conformance/structured/table.h"

namespace signet::structured_vectors {
namespace {

std::filesystem::path VectorsDir() {
  if (const char* dir = std::getenv("SIGNET_VECTORS_DIR")) return dir;
  const char* source = std::getenv("SIGNET_SOURCE_DIR");
  return std::filesystem::path(source == nullptr ? "." : source) / "tests" / "vectors";
}

const OpRow* LookupOp(const VectorFile& file, std::string_view op) {
  for (std::span<const OpRow> ops : file.ops) {
    for (const OpRow& row : ops) {
      if (row.op == op) return &row;
    }
  }
  return nullptr;
}

// What became of the cases of one file.
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

// What is wrong with the answer to `one`; empty when it is as expected.
std::string Judge(const Json& one, const StatusOr<Answer>& answer) {
  if (!one.contains("error")) {
    return answer.ok() ? Difference(one.at("expect"), *answer)
                       : Cat("refused: ", answer.status().ToString());
  }
  const std::string code = one.at("error").at("code");
  if (answer.ok()) return Cat("not refused with ", code);
  return CodeOf(answer.status()) == code
             ? ""
             : Cat("expected ", code, "; refused: ", answer.status().ToString());
}

void RunCase(const VectorFile& file, const Json& json, Tally& tally) {
  Case one(json);
  const OpRow* row = LookupOp(file, one.op());
  if (row == nullptr && !file.is_complete) {
    ++tally.skipped[one.op()];
    return;
  }
  std::string wrong;
  try {
    StatusOr<Answer> answer = row == nullptr ? StatusOr<Answer>(NotBuilt(one.op())) : row->run(one);
    if (answer.ok() && !answer->not_built.empty()) {
      if (!file.is_complete) {
        ++tally.skipped[answer->not_built];
        return;
      }
      wrong = Cat("not built: ", answer->not_built);
    } else {
      if (answer.ok()) tally.sizes_needed += answer->sizes_needed;
      wrong = Judge(json, answer);
    }
  } catch (const std::exception& thrown) {
    wrong = thrown.what();
  }
  ++(wrong.empty() ? tally.passed : tally.failed);
  if (!wrong.empty()) ADD_FAILURE() << one.id() << " (" << json.at("doc") << "): " << wrong;
}

TEST(StructuredVectorsTest, AllCasesPass) {
  std::vector<VectorFile> known = VectorFiles();
  size_t all = 0;
  for (const VectorFile& file : known) {
    Json cases = vectors::ReadJsonFile(VectorsDir() / "structured" / file.name);
    Tally tally;
    for (const Json& one : cases) RunCase(file, one, tally);
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
    EXPECT_TRUE(listed) << name << ": nothing here runs this file";
  }
}

}  // namespace
}  // namespace signet::structured_vectors
