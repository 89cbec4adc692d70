// Picking, eager: rows and elements of tensors, ragged and structured values, at once, as a C++
// program takes them. Each is an op of docs/reference/ops.md under RunOp, which says what it takes
// and refuses. Axes below 0 count from the end; those of a structure are its own. Stateless;
// thread-safe.
//
//   Gather(recipes, Tensor::Of<int64_t>({2}, {3, 0}))      BooleanMask(recipes, is_vegan)

#pragma once

#include <optional>

#include "signet/value.h"

namespace signet {

struct GatherOptions {
  std::optional<int64_t> axis = {};  // none: the first behind the batch
  int64_t batch_dims = 0;            // dimensions that `x` and the indices share
};
// OUT_OF_RANGE for an index of nothing; so are the two below.
StatusOr<Value> Gather(const Value& x, const Value& indices, GatherOptions options = {});
// Each row by indices of its own.
StatusOr<Value> BatchGather(const Value& x, const Value& indices);
// By vectors of indices, one for each of the first dimensions.
StatusOr<Value> GatherNd(const Value& x, const Value& indices);

// Rows, or elements in their rows, where the mask holds.
StatusOr<Value> BooleanMask(const Value& x, const Value& mask);
// `int64[n, rank]`: where the condition holds.
StatusOr<Value> Where(const Value& condition);
// Elements of `x` where the condition holds, of `y` elsewhere; of a vector, rows; of a scalar, all.
StatusOr<Value> Where(const Value& condition, const Value& x, const Value& y);

// Rows in an order by chance, the same for the same seed.
StatusOr<Value> RandomShuffle(const Value& x, int64_t seed);

struct LookupOptions {
  std::optional<Value> weights = {};   // one for each of the ids
  std::string_view combiner = "mean";  // or `sum`, `sqrtn`
  std::optional<double> max_norm = {};
};
// Rows of the table by number; those of each row of ids combined, 0 of none.
StatusOr<Value> EmbeddingLookup(const Value& table, const Value& ids,
                                const LookupOptions& options = {});

}  // namespace signet
