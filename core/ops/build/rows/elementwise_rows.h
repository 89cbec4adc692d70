// Elementwise ops on ragged values: operands broadcast to common rows, and the op runs on flat
// values.
//
// Stateless.

#pragma once

#include "core/ops/def/op_def.h"

namespace signet {

// The op on ragged operands: they and the tensors beside broadcast to common rows
// (broadcast_rows.h), and the op runs once, on the flat values.
//
//   ragged float32[?, (?)] + ragged float32[?, (?)]  =>  the sum of their values, as they are when
//   the partitions are the very same, else after a comparison;  + float32[?, 1]  =>  each value
//   plus what is in the row
//
// Structures and sparse values: UNIMPLEMENTED.
StatusOr<std::vector<GraphValue>> ExpandElementwise(OpBuilder& build, const OpCall& call,
                                                    std::span<const GraphValue> inputs);
// The same, but input 0 does not stretch: others broadcast to it.
StatusOr<std::vector<GraphValue>> ExpandBesideFirst(OpBuilder& build, const OpCall& call,
                                                    std::span<const GraphValue> inputs);

}  // namespace signet
