// Runs random histories of operations, and compares what a server does with the rules.
//
// SIGNET_SIMULATE_SECONDS sets how long; without it, 400 histories run. SIGNET_SEED is the first
// seed. SIGNET_SHRINK=0 shows a history that breaks a rule as it is.

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <regex>

#include <gtest/gtest.h>

#include "signet/cat.h"
#include "tests/simulation/calls.h"
#include "tests/simulation/operations.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

uint64_t NumberFrom(const char* variable, uint64_t usual) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : usual;
}

TEST(SimulationTest, RandomHistoriesKeepTheRules) {
  constexpr uint64_t kHistories = 400;
  const auto seconds = static_cast<int64_t>(NumberFrom("SIGNET_SIMULATE_SECONDS", 0));
  const uint64_t first = NumberFrom("SIGNET_SEED", 20261128);
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  Coverage coverage;
  uint64_t seed = first;
  const auto goes_on = [&] {
    return seconds > 0 ? std::chrono::steady_clock::now() < end : seed < first + kHistories;
  };
  for (; goes_on(); ++seed) {
    const std::string broken = SimulateCalls(seed, coverage);
    ASSERT_EQ(broken, "") << "SIGNET_SEED=" << seed;
    const History history = RandomHistory(seed);
    const Outcome outcome = Simulate(history, &coverage);
    if (outcome.violation.empty()) continue;
    const bool shrinks = NumberFrom("SIGNET_SHRINK", 1) != 0;
    const History least = shrinks ? Shrink(history) : history;
    FAIL() << "SIGNET_SEED=" << seed << " breaks a rule\n"
           << outcome.violation << "\nThe history has " << Describe(least);
  }
  std::cout << "simulation: seeds " << first << " to " << seed - 1 << ", " << coverage.operations
            << " operations\n";
  for (const auto& [what, count] : coverage.counts)
    std::cout << "  " << what << ": " << count << "\n";
}

// Returns a text without marks of comments, line ends, and spaces in turn.
std::string OnOneLine(const std::string& text) {
  return std::regex_replace(text, std::regex("\\s+(//\\s+)?|`"), " ");
}

TEST(SimulationTest, RulesAreSentencesOfTheDocumentation) {
  const std::string page = OnOneLine(ReadWholeFile("docs/guide/production.md"));
  int quotes = 0;
  for (const char* source : {"tests/simulation/operations.cc", "tests/simulation/calls.cc"}) {
    const std::string text = ReadWholeFile(source);
    const std::regex quote("// \"([A-Z][^\"]*\\.)\"");
    for (std::sregex_iterator it(text.begin(), text.end(), quote), end; it != end; ++it) {
      ++quotes;
      EXPECT_NE(page.find(OnOneLine((*it)[1])), page.npos) << (*it)[1];
    }
  }
  EXPECT_GT(quotes, 8);
}

}  // namespace
}  // namespace signet
