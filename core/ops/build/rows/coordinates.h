// Coordinates: where elements stand in rows: the index along each dimension.
//
//   rows of [[7, 8], [9]]   elements 1 and 2  =>  [[0, 1], [1, 0]]

#pragma once

#include "core/ops/build/rows/rows.h"

namespace signet {

// `int64[n, depth]` of the elements at `positions`, an `int64[n]`, of the last level. Depth at
// least 1.
StatusOr<GraphValue> CoordinatesOf(OpBuilder& build, const Rows& rows, const GraphValue& positions);

}  // namespace signet
