// Broadcasting: sizes of dimensions, some of them ragged, and values repeated to fill them. The
// rules are those of docs/reference/ops/ragged.md.
//
//   RowDimsOf(ragged int64[2, (?)] [[1, 2], [3]])               =>  {2, RowLengths{2, 1}}
//   BroadcastTo(int64[2, 1] [[1], [2]], {2, RowLengths{3, 0}})  =>  [[1, 1, 1], []]
//
// Stateless; thread-safe.

#pragma once

#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "signet/value.h"

namespace signet {

using RowLengths = std::vector<int64_t>;
// Of a uniform dimension one number, of a ragged one the length of each row. Dimension 0 is
// uniform.
using RowDims = std::vector<std::variant<int64_t, RowLengths>>;

// Those of a tensor or ragged value, or the dimensions of a structure: DimSizes (arrays.h) as
// numbers.
StatusOr<RowDims> RowDimsOf(const Value& x);

// What both broadcast to; INVALID_ARGUMENT where they do not.
StatusOr<RowDims> BroadcastSizes(const RowDims& a, const RowDims& b);

// `dims` with dimension `axis`, of size 1, stretched to a size or to row lengths.
StatusOr<RowDims> BroadcastDimension(const RowDims& dims, int axis, const RowDims::value_type& to);

// A tensor or ragged value repeated until it has these dimensions.
StatusOr<Value> BroadcastTo(const Value& x, const RowDims& dims);

}  // namespace signet
