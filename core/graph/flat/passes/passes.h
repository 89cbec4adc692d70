// Passes: a flat graph made into one that gives the same results sooner.
//
//   %3 = matmul(%0, %1)                 %5 = linear(%0, %1, %2; low=0)
//   %4 = add(%3, %2)             =>
//   %5 = relu(%4)
//
// Rules (rules.h) are tried on each node until none applies; then chains of elementwise ops become
// one node each (fuse_elementwise.h). Results differ from those of the plain graph at most as
// rounding does. docs/internals/architecture.md lists what is fused. Stateless; thread-safe.

#pragma once

#include "core/graph/flat/flat_graph.h"
#include "core/ops/def/op_registry.h"

namespace signet {

// Also the graphs within control nodes. Rules make nodes of `ops`. The types of inputs and results
// stay. Returns a sum of the rules that were applied and that may change how results are rounded:
// graphs of one function for which the sums are equal round alike.
uint64_t Optimize(FlatGraph& graph, const OpRegistry& ops);

}  // namespace signet
