// Sparse rows: a sparse value of rank at least 1 as a list of entries for each row along dimension
// 0, and back. What takes rows one by one does so with the lists.
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
  GraphValue indices;  // ragged int64[n, (?), rank - 1]: each without the first
  GraphValue values;   // ragged T[n, (?)], with the same row splits
  SparseParts row;     // one row, whatever its entries: its dense shape and what is known of it
};

StatusOr<SparseRows> OpenSparseRows(OpBuilder& build, const SparseParts& x);
// Refuses more elements than an int64 counts.
StatusOr<SparseParts> CloseSparseRows(OpBuilder& build, const SparseRows& rows);

}  // namespace signet
