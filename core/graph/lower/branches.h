// Branches: which of several functions is called, known only when the function runs: a `switch`
// node with a body for each; or known from types: the candidates of a call. Stateless.

#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/graph/lower/inliner.h"

namespace signet {

// The number of the branch that `index` chooses, when that is known now: of a bool, True is 0 and
// False 1; a number that no branch has is the last. C1: the index of `cond` is a bool, that of
// `case` an int32 or int64 scalar.
StatusOr<std::optional<size_t>> KnownBranch(const CallExpander& expander, const GraphValue& index,
                                            Control op, size_t num_branches);

// Returns the name of a branch for messages: "branch `then`", or "branch 2" of `case`.
std::string BranchName(Control op, size_t number);

// Calls the function of `functions` that `index` names when it runs. The results have one type,
// that which CoerceTo gives all branches. With `defer_errors`, a function that rejects the types
// of the arguments, although another accepts them, reports the error only when it is called. The
// inliner's expander builds a graph.
StatusOr<GraphValue> BuildSwitch(Inliner& inliner, Control op, const GraphValue& index,
                                 std::span<const std::string> functions,
                                 std::span<const GraphValue> arguments,
                                 std::span<const std::string> keywords, bool defer_errors);

// Calls, of the functions that take the arguments, the one whose constraints are below the others';
// the first, where several are. The refusal says why each does not take them.
StatusOr<GraphValue> CallCandidate(Inliner& inliner, std::span<const std::string> functions,
                                   std::span<const GraphValue> arguments,
                                   std::span<const std::string> keywords);

}  // namespace signet
