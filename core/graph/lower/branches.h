// Branches: select one of several functions, by a value (`cond`, `case`) or by the types of
// arguments (the candidates of `call`).
//
// If the value is known only when the function runs, the result is a `switch` node with one body
// per function. Stateless.

#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/graph/lower/inliner.h"

namespace signet {

// Returns the number of the branch that `index` selects, if `index` is known. True is branch 0 and
// False is branch 1. A number without a branch selects the last branch. C1: the index of `cond` is
// a bool, and the index of `case` is an int32 or int64 scalar.
StatusOr<std::optional<size_t>> KnownBranch(const CallExpander& build, const GraphValue& index,
                                            Control op, size_t num_branches);

// Returns the name of a branch for messages: "branch `then`", or "branch 2" of `case`.
std::string BranchName(Control op, size_t number);

// One branch of a switch.
struct SwitchBranch {
  std::string name;  // for messages
  // Returns the result of the branch for `arguments`, which are edges of `body`.
  std::function<StatusOr<GraphValue>(FlatBuilder& body, std::span<const GraphValue> arguments)>
      make;
};

// Runs the branch that `index` selects when the graph runs, or the last one if there is no branch
// with this number. The results of all branches are converted to one type (CoerceTo). A branch
// whose error `defers` accepts, although another branch has a result, reports the error only when
// it runs.
StatusOr<GraphValue> BuildSwitch(FlatBuilder& outer, const GraphValue& index,
                                 std::span<const SwitchBranch> branches,
                                 std::span<const GraphValue> arguments,
                                 const std::function<bool(const Status&)>& defers);

// Calls the function of `functions` that `index` selects when the graph runs. The results of all
// branches are converted to one type. With `defer_errors`, a function that rejects the types of the
// arguments, although another one accepts them, reports the error only when it is called. The
// expander of the inliner must build a graph.
StatusOr<GraphValue> BuildSwitch(Inliner& inliner, Control op, const GraphValue& index,
                                 std::span<const std::string> functions,
                                 std::span<const GraphValue> arguments,
                                 std::span<const std::string> keywords, bool defer_errors);

// Calls the most specific function that accepts the arguments, or the first one if several are
// equally specific. If there is none, the error states why each function rejects the arguments.
StatusOr<GraphValue> CallCandidate(Inliner& inliner, std::span<const std::string> functions,
                                   std::span<const GraphValue> arguments,
                                   std::span<const std::string> keywords);

}  // namespace signet
