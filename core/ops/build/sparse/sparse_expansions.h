// SparseExpansions: functions with which ops implement their expansions on sparse values.
//
// An op refers to its expansion in `OpDef::expand_sparse`. Stateless; thread-safe.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/ops/def/op_def.h"

namespace signet {

// Calls the op on the values of the entries. Correct for ops that map 0, False, and "" to
// themselves.
//   neg(entries [0, 2]: 1, 5)  =>  entries [0, 2]: -1, -5
StatusOr<std::vector<GraphValue>> ExpandSparseOnValues(OpBuilder& build, const OpCall& call,
                                                       std::span<const GraphValue> inputs);

// Returns the error for an op that does not accept sparse values: UNIMPLEMENTED.
StatusOr<std::vector<GraphValue>> RejectSparse(OpBuilder& build, const OpCall& call,
                                               std::span<const GraphValue> inputs);

// Returns the types of values for error messages.
std::string TypesOf(std::span<const GraphValue> values);
bool IsSparse(const GraphValue& value);

// Merges row-major entries with the same index by `segment_op`.
//   positions [1, 1, 3], values [7, 8, 9], segment_sum  =>  positions [1, 3], values [15, 9]
struct Positioned {
  GraphValue positions;
  GraphValue values;
};
StatusOr<Positioned> MergedEntries(OpBuilder& build, Positioned entries, bool in_order,
                                   std::string_view segment_op);

}  // namespace signet
