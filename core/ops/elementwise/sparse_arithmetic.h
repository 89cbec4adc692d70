// SparseArithmetic: expands add, sub, mul, and div on sparse values.
//
// Stateless; thread-safe.

#pragma once

#include <vector>

#include "core/ops/def/op_def.h"

namespace signet {

// mul: a sparse value times a scalar tensor, in any order. div: a sparse value divided by a scalar
// tensor.
StatusOr<std::vector<GraphValue>> ExpandSparseScaled(OpBuilder& build, const OpCall& call,
                                                     std::span<const GraphValue> inputs);

// add, sub: two sparse values with the same dense shape. The result has an entry at each index at
// which one of them has an entry, even if the sum is 0.
StatusOr<std::vector<GraphValue>> ExpandSparseAdd(OpBuilder& build, const OpCall& call,
                                                  std::span<const GraphValue> inputs);

}  // namespace signet
