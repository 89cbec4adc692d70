// Ragged: eager conversions between ragged values, tensors, and sparse values.
//
//   signet::Value padded = signet::Tensor::Of<int64_t>({2, 2}, {5, 7, 6, 0});
//   signet::Value zero = signet::Tensor::Scalar<int64_t>(0);
//   auto rows = signet::RaggedFromDense(padded, {.padding = zero});  // [[5, 7], [6]]
//
// The rules are those of ragged_from_dense and ragged_to_dense (docs/reference/ops/ragged.md),
// ragged_from_sparse and ragged_to_sparse (docs/reference/ops/ragged.md). Stateless; thread-safe.
//
//   RaggedFromDense([[5, 7, 0], [6, 0, 0]], {.padding = 0})  =>  [[5, 7], [6]]
//   RaggedToDense([[5, 7], [6]], {.shape = {{3, {}}}})       =>  [[5, 7], [6, 0], [0, 0]]

#pragma once

#include <optional>
#include <vector>

#include "signet/value.h"

namespace signet {

struct FromDenseOptions {
  // At most one of the two: the lengths of rows (a vector, or a list with one vector per ragged
  // dimension), or the padding to remove from the ends of rows.
  std::optional<Value> lengths = {};
  std::optional<Value> padding = {};
  std::optional<int64_t> ragged_rank = {};  // none: the number of lengths; without lengths, 1
};
StatusOr<Value> RaggedFromDense(const Value& tensor, const FromDenseOptions& options = {});

struct ToDenseOptions {
  std::optional<Value> missing = {};  // padding of short rows; none: 0, False, or ""
  // One size per dimension, to pad or cut to; none: large enough for all rows.
  std::optional<std::vector<std::optional<int64_t>>> shape = {};
};
StatusOr<Value> RaggedToDense(const Value& ragged, const ToDenseOptions& options = {});

StatusOr<Value> RaggedFromSparse(const Value& sparse);
StatusOr<Value> RaggedToSparse(const Value& ragged);

}  // namespace signet
