// Sparse expansions: what ordinary ops mean on sparse values. The constraints are those of the ops,
// and of docs/reference/ops/sparse.md.

#pragma once

#include <string_view>

#include "core/ops/def/op_def.h"

namespace signet {

// The expansion of `op` where one of its inputs is sparse, in place of its own; null: its own.
ExpandFn LookupSparseExpansion(const OpDef& op);

// Row-major entries that stand at one index, made one by `segment_op`.
//   positions [1, 1, 3], values [7, 8, 9], segment_sum  =>  positions [1, 3], values [15, 9]
struct Positioned {
  GraphValue positions;
  GraphValue values;
};
StatusOr<Positioned> MergedEntries(OpBuilder& build, Positioned entries, bool in_order,
                                   std::string_view segment_op);

}  // namespace signet
