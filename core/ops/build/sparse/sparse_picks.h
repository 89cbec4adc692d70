// Sparse picks: what ops that pick elements mean on sparse values: entries go where the picked
// elements go, and nothing is made dense. Rows of the table in sparse_expansions.cc.

#pragma once

#include "core/ops/build/sparse/sparse_structure.h"

namespace signet {

ExpandSparseFn ExpandSparseBooleanMask;
ExpandSparseFn ExpandSparseGather;
ExpandSparseFn ExpandSparseGatherNd;
ExpandSparseFn ExpandSparseTile;
ExpandSparseFn ExpandSparseWhere;

}  // namespace signet
