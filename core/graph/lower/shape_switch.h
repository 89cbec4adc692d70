// ShapeSwitch: calls an operator of another format on a tensor whose rank only the run knows.
//
//   onnx.Flatten(x: float32[...])   =>   case rank(x) of
//                                          0: onnx.Flatten(reshape(x, []))
//                                          1: onnx.Flatten(reshape(x, [n]))
//                                          ..
//
//   1. The expansions of such operators need ranks. If an expansion fails, the operator is expanded
//      once for each rank that the input may have. `if` lists the ranks of its branches
//      (FlatBuilder::RanksOf).
//   2. The length of a vector of sizes or axes counts as well, because it is a rank of the result.
//   3. A rank that the operator rejects is an error of the run.
//
// ONNX and TensorFlow have values without a known rank, such as the If that PyTorch exports for
// squeeze. Ops of Signet require ranks where their pages say so. Stateless.

#pragma once

#include <optional>

#include "core/graph/lower/flat_builder.h"

namespace signet {

// Returns the first of `inputs` whose rank or length is unknown and may be why a call failed with
// `error`.
std::optional<size_t> OpenInput(std::span<const GraphValue> inputs, const Status& error);

// Calls `op` by the rank or the length of input `open`. Returns `error` if the call fails for all
// of them, or if there are too many.
StatusOr<std::vector<GraphValue>> CallByShape(FlatBuilder& build, const OpDef& op,
                                              std::span<const GraphValue> inputs,
                                              const Attributes& attributes, size_t open,
                                              const Status& error);

}  // namespace signet
