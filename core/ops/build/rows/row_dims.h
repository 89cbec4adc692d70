// RowDims: converts a list of sizes and row lengths to the dimensions of rows.
//
//   list(2, list(3, 0), 4)  =>  2 rows, of 3 and 0 elements, of 4 each
// A number is the size of a uniform dimension. A list of numbers contains the row lengths of a
// ragged dimension. Both may be tensors, as in the result of the op dim_sizes. Dimension 0 is
// uniform. Stateless.

#pragma once

#include <string_view>

#include "core/ops/build/rows/rows.h"

namespace signet {

// Converts `sizes`. Rejects a value that is not such a list, and lists of lengths with another
// number of rows; the errors have the label `label`. Row lengths are checked at run time.
StatusOr<Rows> RowsOfSizes(OpBuilder& build, const GraphValue& sizes, std::string_view label);

// Returns one more dimension after the dimensions of `rows`.
StatusOr<RowDim> DimOfSize(OpBuilder& build, const Rows& rows, const GraphValue& size,
                           std::string_view label);

}  // namespace signet
