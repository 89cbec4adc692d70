// EqualGraphs: compares the graphs of two functions by the names of their nodes.
//
// Equal graphs have nodes with the same names, ops, attributes, and edges, and the same result.
// Literals are compared by value, and captures by name. The order of independent nodes, and the
// numbers of literals and captures, do not matter. Stateless; thread-safe.

#pragma once

#include "core/graph/body/graph.h"

namespace signet {

// Returns OK, or FAILED_PRECONDITION with the first difference: "node `y`: ...".
Status EqualGraphs(const Graph& expected, const Graph& found);

// Compares everything else of two functions, too, except for their names.
Status EqualFunctions(const FunctionDef& expected, const FunctionDef& found);

}  // namespace signet
