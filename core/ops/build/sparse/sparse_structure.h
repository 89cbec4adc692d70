// Sparse structure: what ops on shapes mean on sparse values: entries keep their values and get
// other indices. Rows of the table in sparse_expansions.cc.

#pragma once

#include "core/ops/def/op_def.h"

namespace signet {

using ExpandSparseFn = StatusOr<std::vector<GraphValue>>(OpBuilder& build, const OpCall& call,
                                                         std::span<const GraphValue> inputs);

ExpandSparseFn ExpandSparseConcat;
ExpandSparseFn ExpandSparseExpandDims;
ExpandSparseFn ExpandSparseReshape;
ExpandSparseFn ExpandSparseSlice;
ExpandSparseFn ExpandSparseSplit;
ExpandSparseFn ExpandSparseSqueeze;
ExpandSparseFn ExpandSparseStack;
ExpandSparseFn ExpandSparseTranspose;
ExpandSparseFn ExpandSparseUnstack;

// Those of all values, of rank at least 1, one after the other along dimension 0; each other
// dimension is as long as the longest.
StatusOr<GraphValue> JoinSparseRows(OpBuilder& build, std::span<const GraphValue> values);

}  // namespace signet
