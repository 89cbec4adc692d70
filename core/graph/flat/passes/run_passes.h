// RunPasses: runs groups of passes on a flat graph, verifies the graph, and shows it after each
// pass.
//
//   RunPasses(graph, ops, {{{&kFuseLinearPass, &kMergeScalesPass}}, {{&kFuseElementwisePass}}}, {})
//
// The passes of a group enable one another. They run in turn until each of them has run without a
// change since the last change. A pass does not run again directly after itself. Then the next
// group runs. Stateless; thread-safe.

#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "core/graph/flat/passes/pass.h"

namespace signet {

using PassGroup = std::vector<const Pass*>;

struct PassOptions {
  // Verifies the graph after each pass that changed it. The error names the pass.
  bool verify = false;
  // Receives the name of each pass that changed the graph, and the graph without dead nodes. The
  // graphs in control nodes come before the graph that contains them.
  std::function<void(std::string_view pass, const FlatGraph& graph)> on_change = nullptr;
};

// The options that two environment variables select, which are read once:
//   SIGNET_VERIFY_PASSES=1  verifies. The test suite sets it for all programs.
//   SIGNET_PRINT_PASSES=1   prints each changed graph to standard error.
const PassOptions& PassOptionsFromEnvironment();

// Runs `groups` on the graphs in control nodes and then on `graph`, and removes dead nodes. New
// nodes use ops of `ops`. The types of inputs and results stay. Returns the sum of
// PassResult::rounding: two specializations of one function with equal sums round alike. INTERNAL
// if verification fails.
StatusOr<uint64_t> RunPasses(FlatGraph& graph, const OpRegistry& ops,
                             std::span<const PassGroup> groups, const PassOptions& options);

}  // namespace signet
