// Outer dimension: changing the first dimension of a tensor, ragged value or structure without
// touching its elements.

#pragma once

#include "core/ops/def/op_def.h"

namespace signet {

// `spec`, of rank at least 1, with another number of rows (kUnknownDim: not known).
StatusOr<TypeSpec> WithRows(const TypeSpec& spec, int64_t rows);

// `value` with its rows grouped by `splits`, whose rows become the first dimension:
//   int64[?]  =>  ragged int64[?, (?)]      [{a: int64[]}]  =>  [[{a: int64[]}]]
// The splits are taken to end at the number of rows; see check_row_splits.
StatusOr<GraphValue> WithOuterSplits(OpBuilder& build, const GraphValue& value,
                                     const GraphValue& splits);

// `value`, which has one row, as that row alone:
//   ragged int64[1, (?)]  =>  int64[?]      [{a: int64[]}][1]  =>  {a: int64[]}
StatusOr<GraphValue> WithoutOuter(OpBuilder& build, const GraphValue& value);

}  // namespace signet
