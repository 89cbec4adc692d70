// Tests that the runner of vectors survives any input: cases that were changed at random pass or
// fail, and never crash the test.

#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "tests/conformance/function_vectors_cases.h"
#include "tests/conformance/isolation.h"
#include "tests/conformance/mutation.h"
#include "tests/conformance/structured/run_case.h"

namespace signet::vectors {
namespace {

constexpr size_t kMutantsPerCase = 20;

std::filesystem::path VectorsDir() {
  const char* source = std::getenv("SIGNET_SOURCE_DIR");
  return std::filesystem::path(source == nullptr ? "." : source) / "tests" / "vectors";
}

unsigned SeedOfRun() {
  const char* given = std::getenv("SIGNET_SEED");
  unsigned seed = given == nullptr ? 1 : static_cast<unsigned>(std::strtoul(given, nullptr, 10));
  std::printf("seed: %u (SIGNET_SEED)\n", seed);
  return seed;
}

Json MutantsOf(const Json& cases, std::mt19937& random) {
  Json mutants = Json::array({nullptr, 3, "case", Json::array(), Json::object()});
  for (const Json& one : cases) {
    for (size_t i = 0; i < kMutantsPerCase; ++i) mutants.push_back(Mutated(one, random));
  }
  return mutants;
}

void ExpectSurvival(const Json& cases, const std::function<std::string(const Json&)>& run) {
  auto results = RunIsolated(cases.size(), [&](size_t i) { return run(cases.at(i)); });
  ASSERT_EQ(results.size(), cases.size());
  for (size_t i = 0; i < cases.size(); ++i) {
    EXPECT_TRUE(results[i].finished)
        << results[i].text << ": "
        << cases.at(i).dump(-1, ' ', true, Json::error_handler_t::replace);
  }
}

TEST(MutatedVectorsTest, FunctionCasesNeverCrash) {
  std::mt19937 random(SeedOfRun());
  for (const auto& entry : std::filesystem::directory_iterator(VectorsDir() / "functions")) {
    RunCase run = LookupRunner(entry.path().filename().string());
    if (run == nullptr) continue;
    ExpectSurvival(MutantsOf(ReadJsonFile(entry.path().string()), random), run);
  }
}

TEST(MutatedVectorsTest, StructuredCasesNeverCrash) {
  std::mt19937 random(SeedOfRun());
  for (const auto& file : structured_vectors::VectorFiles()) {
    Json cases = ReadJsonFile(VectorsDir() / "structured" / file.name);
    ExpectSurvival(MutantsOf(cases, random),
                   [&](const Json& one) { return structured_vectors::RunCase(file, one); });
  }
}

TEST(IsolationTest, ReportsEachCaseHoweverItEnds) {
  auto results = RunIsolated(5, [](size_t i) -> std::string {
    if (i == 1) std::abort();
    if (i == 2) throw std::runtime_error("no such dtype");
    if (i == 3) std::_Exit(7);
    return Cat("case ", i);
  });
  ASSERT_EQ(results.size(), 5u);
  EXPECT_EQ(results[0].text, "case 0");
  EXPECT_FALSE(results[1].finished);
  EXPECT_EQ(results[1].text, "ended its process by signal 6");
  EXPECT_TRUE(results[2].finished);
  EXPECT_EQ(results[2].text, "threw: no such dtype");
  EXPECT_EQ(results[3].text, "ended its process with exit code 7");
  EXPECT_EQ(results[4].text, "case 4");
}

}  // namespace
}  // namespace signet::vectors
