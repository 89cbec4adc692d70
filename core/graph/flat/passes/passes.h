// Optimize: rewrites a flat graph into one that computes the same results faster.
//
//   %3 = matmul(%0, %1)                 %5 = linear(%0, %1, %2; low=0)
//   %4 = add(%3, %2)             =>
//   %5 = relu(%4)
//
// It runs the passes that passes.cc lists, in groups (run_passes.h). Results differ from those of
// the original graph at most by rounding. Stateless; thread-safe.

#pragma once

#include <span>

#include "core/graph/flat/passes/run_passes.h"

namespace signet {

std::span<const PassGroup> OptimizationPasses();

inline StatusOr<uint64_t> Optimize(FlatGraph& graph, const OpRegistry& ops,
                                   const PassOptions& options) {
  return RunPasses(graph, ops, OptimizationPasses(), options);
}

}  // namespace signet
