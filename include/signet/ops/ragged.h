// Ragged, eager: ragged values made of tensors and sparse values, and the reverse, at once. The
// rules are those of ragged_from_dense and ragged_to_dense (docs/reference/ops/ragged.md),
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
  // At most one of: lengths of rows, a vector, or a list of one for each ragged dimension; and what
  // is cut off the ends of rows.
  std::optional<Value> lengths = {};
  std::optional<Value> padding = {};
  std::optional<int64_t> ragged_rank = {};  // none: as many as lengths, else 1
};
StatusOr<Value> RaggedFromDense(const Value& tensor, const FromDenseOptions& options = {});

struct ToDenseOptions {
  std::optional<Value> missing = {};  // what short rows are padded with; none: 0, False or ""
  // A size for each dimension, to pad or cut to; none: as large as what is there.
  std::optional<std::vector<std::optional<int64_t>>> shape = {};
};
StatusOr<Value> RaggedToDense(const Value& ragged, const ToDenseOptions& options = {});

StatusOr<Value> RaggedFromSparse(const Value& sparse);
StatusOr<Value> RaggedToSparse(const Value& ragged);

}  // namespace signet
