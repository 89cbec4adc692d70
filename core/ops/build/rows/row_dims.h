// Row dims: the sizes of dimensions, some of them ragged, as a list.
//
//   list(2, list(3, 0), 4)  =>  2 rows, of 3 and 0 elements, of 4 each
//
// A number is a uniform dimension, a list of numbers has the row lengths of a ragged one; either
// may be a tensor, as in what the op dim_sizes gives. Dimension 0 is uniform. Stateless.

#pragma once

#include <string_view>

#include "core/ops/build/rows/rows.h"

namespace signet {

// Refuses, under `label`, what is no such list, and lengths that are not one for each row. Row
// lengths are checked when it runs.
StatusOr<Rows> RowsOfSizes(OpBuilder& build, const GraphValue& sizes, std::string_view label);

// One dimension more behind `rows`.
StatusOr<RowDim> DimOfSize(OpBuilder& build, const Rows& rows, const GraphValue& size,
                           std::string_view label);

}  // namespace signet
