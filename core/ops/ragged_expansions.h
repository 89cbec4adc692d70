// Ragged expansions: how ops on dense tensors become ops on ragged values.
//
//   reduce_sum(x, axis=1)   x: ragged float32[?, (?)]   =>   segment_sum(values, row_splits)
//   reduce_sum(x, axis=2)   x: ragged float32[?, (?), 8]   =>   reduce_sum(values, axis=1), ragged
//   as before reduce_sum(x)           =>   reduce_sum(values)
//
// The OpDef of a reduction sets `expand` to a function that reads its attributes and calls
// ExpandRaggedReduction; an elementwise OpDef sets it to ExpandOnFlatValues (flat_values.h).

#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/ops/op.h"

namespace signet {

struct RaggedReduction {
  std::string_view segment_op;               // `segment_sum`
  std::optional<std::vector<int64_t>> axes;  // none: all
  bool keepdims = false;
};

// A reduction of inputs[0], a ragged value. Axes behind the ragged ones are reduced by call.op with
// the attribute `axis` (a list) and `keepdims`; the ragged ones by `segment_op`, innermost first.
// UNIMPLEMENTED when rows would have to be added position by position: an axis of rows or an outer
// ragged one without those inside it.
StatusOr<std::vector<GraphValue>> ExpandRaggedReduction(Expander& expander, const OpCall& call,
                                                        std::span<const GraphValue> inputs,
                                                        const RaggedReduction& reduction);

}  // namespace signet
