// Runs the suites of the ONNX standard: small models with recorded inputs and outputs. The node
// suite has a model for each use of an operator. Models that do not pass are in differs.txt, with
// the reason. The table of operators in docs/reference/onnx.md has the results of the node suite.

#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "tests/conformance/onnx/onnx_cases.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

// The suites of the Debian package, and the minimum number of cases that pass.
constexpr char kSuites[] = "/usr/share/libonnx-testdata/data";
constexpr int kLeastPassed = 913;  // of `node`
constexpr std::pair<const char*, int> kOtherSuites[] = {
    {"simple", 21}, {"pytorch-operator", 35}, {"pytorch-converted", 82}};

// Returns the cases that are known not to pass, with the reasons.
std::map<std::string, std::string> ReadDiffers() {
  std::map<std::string, std::string> out;
  std::ifstream file("tests/conformance/onnx/differs.txt");
  for (std::string line; std::getline(file, line);) {
    size_t colon = line.find(": ");
    if (!line.starts_with('#') && colon != std::string::npos) {
      out[line.substr(0, colon)] = line.substr(colon + 2);
    }
  }
  return out;
}

// The number of cases of an operator with each verdict.
using Counts = std::array<int, 3>;  // by OnnxVerdict

// Returns the operator that a case tests.
std::string SubjectOf(const fs::path& folder) {
  std::vector<std::string> operators = OperatorsIn(folder / "model.onnx");
  if (operators.size() > 1) std::erase(operators, "Constant");
  return operators.size() == 1 ? operators[0] : "several of them";
}

std::string TableOf(const std::map<std::string, Counts>& operators) {
  std::string out = "| operator | pass | rejected | differs |\n|---|---|---|---|\n";
  for (const auto& [name, counts] : operators) {
    out += Cat("| ", name, " | ", counts[0], " | ", counts[1], " | ", counts[2], " |\n");
  }
  return out;
}

// Checks that docs/reference/onnx.md contains `table`. SIGNET_UPDATE_GOLDEN=1 writes it.
void CheckTable(const std::string& table) {
  constexpr char kPath[] = "docs/reference/onnx.md";
  constexpr std::string_view kBegin = "<!-- operators: written by onnx_node_test -->\n";
  constexpr std::string_view kEnd = "<!-- end of operators -->";
  std::ifstream file(kPath);
  std::string page(std::istreambuf_iterator<char>(file), {});
  size_t begin = page.find(kBegin) + kBegin.size();
  size_t end = page.find(kEnd);
  ASSERT_LE(begin, end) << kPath << " has no place for the table";
  if (std::getenv("SIGNET_UPDATE_GOLDEN") != nullptr) {
    std::ofstream(kPath) << page.replace(begin, end - begin, table);
  } else {
    EXPECT_EQ(page.substr(begin, end - begin), table)
        << "./dev golden OnnxNodeTest writes the table of " << kPath;
  }
}

struct SuiteResult {
  Counts counts = {};
  std::map<std::string, Counts> operators;
  bool is_whole = false;
};

// Runs the cases in `folder`. SIGNET_ONNX_CASES is a part of the names of the cases to run.
SuiteResult RunSuite(const fs::path& folder) {
  SuiteResult result;
  std::string suite = folder.filename().string();
  if (!fs::is_directory(folder)) {
    std::printf("models: onnx %s suite skipped: no folder %s\n", suite.c_str(), folder.c_str());
    return result;
  }
  std::set<fs::path> cases;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (fs::exists(entry.path() / "model.onnx")) cases.insert(entry.path());
  }
  const char* only = std::getenv("SIGNET_ONNX_CASES");
  result.is_whole = only == nullptr;
  std::map<std::string, std::string> differs = ReadDiffers();
  OnnxRunner runner;
  for (const fs::path& path : cases) {
    std::string name = path.filename().string();
    if (only != nullptr && name.find(only) == std::string::npos) continue;
    OnnxOutcome outcome = runner.Run(path, {});
    auto verdict = static_cast<size_t>(outcome.verdict);
    ++result.counts[verdict];
    ++result.operators[SubjectOf(path)][verdict];
    if (outcome.verdict == OnnxVerdict::kPass) {
      EXPECT_FALSE(differs.contains(name)) << name << " passes: take it out of differs.txt";
      continue;
    }
    bool is_rejection = outcome.verdict == OnnxVerdict::kRejected;
    if (is_rejection) std::printf("%s is rejected: %s\n", name.c_str(), outcome.why.c_str());
    if (!is_rejection && !differs.contains(name)) {
      ADD_FAILURE() << name << " differs: " << outcome.why;
    }
  }
  const auto& [passed, rejected, differ] = result.counts;
  std::printf("models: onnx %s suite ran %d passed %d refused %d differ %d\n", suite.c_str(),
              passed + rejected + differ, passed, rejected, differ);
  return result;
}

TEST(OnnxNodeTest, PassesTheStandardSuite) {
  const char* other = std::getenv("SIGNET_ONNX_SUITE_DIR");  // in its place
  SuiteResult result = RunSuite(other != nullptr ? fs::path(other) : fs::path(kSuites) / "node");
  if (!result.is_whole || other != nullptr) return;
  EXPECT_GE(result.counts[0], kLeastPassed);
  CheckTable(TableOf(result.operators));
}

TEST(OnnxNodeTest, PassesOtherSuites) {
  for (const auto& [suite, least] : kOtherSuites) {
    SuiteResult result = RunSuite(fs::path(kSuites) / suite);
    EXPECT_GE(result.counts[0], result.is_whole ? least : 0) << suite;
  }
}

}  // namespace
}  // namespace signet
