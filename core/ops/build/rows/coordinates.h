// Coordinates: the index of an element along each dimension of rows.
//
//   rows of [[7, 8], [9]]   elements 1 and 2  =>  [[0, 1], [1, 0]]

#pragma once

#include "core/ops/build/rows/rows.h"

namespace signet {

// Returns the coordinates, `int64[n, depth]`, of the elements at `positions`, `int64[n]`, in the
// last level. The depth is at least 1.
StatusOr<GraphValue> CoordinatesOf(OpBuilder& build, const Rows& rows, const GraphValue& positions);

}  // namespace signet
