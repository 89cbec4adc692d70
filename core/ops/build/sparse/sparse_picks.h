// SparsePicks: expansions of ops that select elements of sparse values. Each selected entry moves
// to the position of its element in the result. No dense value is created.

#pragma once

#include "core/ops/build/sparse/sparse_structure.h"

namespace signet {

ExpandSparseFn ExpandSparseBooleanMask;
ExpandSparseFn ExpandSparseGather;
ExpandSparseFn ExpandSparseGatherNd;
ExpandSparseFn ExpandSparseTile;
ExpandSparseFn ExpandSparseWhere;

}  // namespace signet
