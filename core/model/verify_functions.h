// VerifyFunctions: checks the functions of a model, from any reader.
//
//   function `score`: node `q`: input 1: expected an earlier node, found node 7
//   functions call each other in a cycle: `f` -> `g` -> `f`
//
// Stateless; thread-safe.

#pragma once

#include <cstdint>
#include <vector>

#include "core/graph/body/graph.h"

namespace signet {

inline constexpr int kMaxFunctions = 4096;  // of a model
// Nodes of a function and of the functions that it calls, once per call.
inline constexpr int64_t kMaxInlinedNodes = 1'000'000;

// Verifies the graph of each function (core/graph/body/verify.h), and rejects functions that call
// themselves directly or indirectly, and calls that are too deep or too large when they are
// inlined.
Status VerifyFunctions(const std::vector<FunctionDef>& functions, const Captures& captures,
                       bool has_extension_types);

}  // namespace signet
