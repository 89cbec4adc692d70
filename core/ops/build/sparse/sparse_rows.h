// SparseRows: a sparse value of rank at least 1 as one list of entries per row along dimension 0.
// Ops that process rows one by one use these lists.
//
//   sparse float32[2, 3] {indices: [[0, 2], [1, 0]], values: [5, 7]}
//     <=>  indices: ragged int64[2, (?), 1] [[[2]], [[0]]], values: ragged float32[2, (?)] [[5],
//     [7]]
//
// Stateless.

#pragma once

#include "core/ops/build/sparse/sparse_parts.h"

namespace signet {

struct SparseRows {
  GraphValue indices;  // ragged int64[n, (?), rank - 1]: the indices without the row
  GraphValue values;   // ragged T[n, (?)], with the same row splits
  SparseParts row;     // the dense shape of one row, without entries
};

StatusOr<SparseRows> OpenSparseRows(OpBuilder& build, const SparseParts& x);
// Rejects a result whose number of elements exceeds the range of int64.
StatusOr<SparseParts> CloseSparseRows(OpBuilder& build, const SparseRows& rows);

}  // namespace signet
