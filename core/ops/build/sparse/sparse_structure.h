// SparseStructure: expansions of shape ops on sparse values. Entries keep their values and get
// other indices.

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

// Joins the rows of all values, which have a rank of at least 1, along dimension 0. Each other
// dimension has the largest size of all values.
StatusOr<GraphValue> JoinSparseRows(OpBuilder& build, std::span<const GraphValue> values);

}  // namespace signet
