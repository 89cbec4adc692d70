// Broadcasting: computes sizes of dimensions, some of which may be ragged, and repeats values to
// fill them. Rules: docs/reference/ops/ragged.md.
//
//   signet::Value column = signet::Tensor::Of<int64_t>({2, 1}, {1, 2});
//   auto rows = signet::BroadcastTo(column, {2, signet::RowLengths{3, 0}});  // [[1, 1, 1], []]
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
// One number for a uniform dimension, and the length of each row for a ragged one. Dimension 0 is
// uniform.
using RowDims = std::vector<std::variant<int64_t, RowLengths>>;

// Returns the dimensions of a tensor, ragged value, or structure: the result of DimSizes (arrays.h)
// as numbers.
StatusOr<RowDims> RowDimsOf(const Value& x);

// Returns the dimensions to which both broadcast, or INVALID_ARGUMENT if they do not.
StatusOr<RowDims> BroadcastSizes(const RowDims& a, const RowDims& b);

// Returns `dims` with dimension `axis`, of size 1, broadcast to a size or to row lengths.
StatusOr<RowDims> BroadcastDimension(const RowDims& dims, int axis, const RowDims::value_type& to);

// Repeats a tensor or ragged value to these dimensions.
StatusOr<Value> BroadcastTo(const Value& x, const RowDims& dims);

}  // namespace signet
