// Entries: the entries of a sparse matrix as rows of varying length.

#pragma once

#include "core/ops/build/rows/rows.h"

namespace signet {

// The values of the entries in each row of a sparse value of rank 2, and the row and the column of
// each entry.
//
//   (0, 1): "a", (0, 3): "b", (2, 0): "c", of shape [3, 4]  =>  rows of ["a", "b"], [], ["c"]
struct Entries {
  Opened values;
  GraphValue rows;     // int64[n]
  GraphValue columns;  // int64[n]
};
StatusOr<Entries> OpenEntries(OpBuilder& build, const GraphValue& sparse);

}  // namespace signet
