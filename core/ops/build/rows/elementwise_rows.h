// ElementwiseRows: expands elementwise ops on ragged values. The operands broadcast to common rows,
// and the op runs on the flat values.
//
// Stateless.

#pragma once

#include "core/ops/def/op_def.h"

namespace signet {

// Expands an op on ragged operands. The operands, including tensors, broadcast to common rows
// (broadcast_rows.h), and the op runs once, on the flat values.
//
//   ragged float32[?, (?)] + ragged float32[?, (?)]  =>  the sums of the flat values, after a
//                                                         comparison of the partitions if needed
//   ragged float32[?, (?)] + float32[?, 1]           =>  each value plus the element of its row
//
// Structures and sparse values: UNIMPLEMENTED.
StatusOr<std::vector<GraphValue>> ExpandElementwise(OpBuilder& build, const OpCall& call,
                                                    std::span<const GraphValue> inputs);
// The same, but input 0 is not repeated, and the other inputs broadcast to it.
StatusOr<std::vector<GraphValue>> ExpandBesideFirst(OpBuilder& build, const OpCall& call,
                                                    std::span<const GraphValue> inputs);

}  // namespace signet
