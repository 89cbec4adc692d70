// Operations: what an operator does to a server, and the rules that the server keeps meanwhile.
//
//   Outcome outcome = Simulate(RandomHistory(seed));
//   if (!outcome.violation.empty()) Shrink(history) ...
//
// A history is a list of steps. Each step has a seed of its own, so that a history without some of
// its steps is still a history. docs/guide/production.md states the rules, and operations.cc quotes
// its sentences. Stateless; each call has a world of its own.

#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace signet {

enum class Operation : uint8_t {
  // Files.
  kPublish,         // a version is renamed into its place, with or without a manifest
  kCopy,            // a version is copied, file by file
  kChangeContent,   // the file of a version is written again
  kDamage,          // the file of a version is cut, or the disk is full
  kChangeCaptures,  // captures.safetensors of a version is written again
  kRemoveVersion,
  kRemoveModel,
  kMoveModel,  // away and back
  kWriteSettings,
  kDamageSettings,
  kRemoveSettings,
  kSwapRoot,  // the link to the directory of models leads to another directory
  // Administration.
  kLoad,
  kLoadSelected,
  kReload,
  kUnload,
  kSetLabel,
  kRemoveLabel,
  kRescan,
  kReplaceCaptures,
  kPersistCaptures,  // also writes them into the directory
  // Calls.
  kCall,  // holds its model for some time
  kCheckHealth,
  // The world.
  kWait,
  kKill,   // the process ends, and starts again
  kQuiet,  // nothing changes for minutes; everything is checked
};
inline constexpr int kOperations = static_cast<int>(Operation::kQuiet) + 1;

// Returns a name such as `remove version`.
std::string NameOf(Operation operation);

struct Step {
  Operation operation = Operation::kWait;
  uint64_t seed = 0;
};
struct History {
  uint64_t seed = 0;  // of the options of the server, and of the order of tasks
  std::vector<Step> steps;
};

struct Coverage {
  std::map<std::string, int64_t> counts;  // by what happened
  int64_t operations = 0;
  void Add(const std::string& what) { ++counts[what]; }
  void Add(const Coverage& other);
};

struct Outcome {
  std::string violation;  // the rule that was broken, and how; empty if none was
  std::string account;    // what happened, if it was asked for
  size_t steps = 0;       // that ran
};

History RandomHistory(uint64_t seed);
// Runs a history, and adds what it covered to `coverage`, which may be null.
Outcome Simulate(const History& history, Coverage* coverage, bool with_account = false);
// Returns a history with as few steps as possible that breaks a rule.
History Shrink(const History& history);
// Returns the steps in words, with what happened in each one.
std::string Describe(const History& history);

}  // namespace signet
