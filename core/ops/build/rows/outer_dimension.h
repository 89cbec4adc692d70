// OuterDimension: changes the first dimension of a tensor, a ragged value, or a structure without
// moving its elements.

#pragma once

#include "core/ops/def/op_def.h"

namespace signet {

// Returns `spec`, which has a rank of at least 1, with another number of rows. kUnknownDim means
// that the number is not known.
StatusOr<TypeSpec> WithRows(const TypeSpec& spec, int64_t rows);

// Groups the rows of `value` by `splits`. The rows of the splits become the first dimension:
//   int64[?]  =>  ragged int64[?, (?)]      [{a: int64[]}]  =>  [[{a: int64[]}]]
// The splits must end at the number of rows; see check_row_splits.
StatusOr<GraphValue> WithOuterSplits(OpBuilder& build, const GraphValue& value,
                                     const GraphValue& splits);

// Removes the first dimension of `value`, which has one row:
//   ragged int64[1, (?)]  =>  int64[?]      [{a: int64[]}][1]  =>  {a: int64[]}
StatusOr<GraphValue> WithoutOuter(OpBuilder& build, const GraphValue& value);

}  // namespace signet
