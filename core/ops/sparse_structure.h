// Sparse structure: what ops on shapes mean on sparse values: entries keep their values and get
// other indices. Rows of the table in sparse_expansions.cc.

#pragma once

#include "core/ops/op.h"

namespace signet {

using ExpandSparseFn = StatusOr<std::vector<GraphValue>>(Expander& expander, const OpCall& call,
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

}  // namespace signet
