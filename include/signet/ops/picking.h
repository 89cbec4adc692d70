// Picking: eager operations that select rows and elements of tensors, ragged values, and
// structures.
//
//   auto chosen = signet::Gather(titles, signet::Tensor::Of<int64_t>({2}, {2, 0}));
//
// Each function runs an op of docs/reference/ops.md with RunOp; the description of the op states
// its constraints. Axes below 0 count from the end; the axes of a structure are its own dimensions.
// Stateless; thread-safe.
//
//   Gather(recipes, Tensor::Of<int64_t>({2}, {3, 0}))      BooleanMask(recipes, is_vegan)

#pragma once

#include <optional>

#include "signet/value.h"

namespace signet {

struct GatherOptions {
  std::optional<int64_t> axis = {};  // none: the first after the batch dimensions
  int64_t batch_dims = 0;            // leading dimensions that `x` and the indices share
};
// The first three functions return OUT_OF_RANGE for an index that does not exist.
StatusOr<Value> Gather(const Value& x, const Value& indices, GatherOptions options = {});
// Selects from each row with the indices of the same row.
StatusOr<Value> BatchGather(const Value& x, const Value& indices);
// Selects with vectors of indices, each of which has one index per leading dimension.
StatusOr<Value> GatherNd(const Value& x, const Value& indices);

// Returns the rows, or the elements of rows, where the mask is true.
StatusOr<Value> BooleanMask(const Value& x, const Value& mask);
// Returns `int64[n, rank]`: the indices of the true elements.
StatusOr<Value> Where(const Value& condition);
// Returns elements of `x` where the condition is true, and of `y` elsewhere. A vector selects rows,
// and a scalar selects everything.
StatusOr<Value> Where(const Value& condition, const Value& x, const Value& y);

// Returns the rows in a random order, which is the same for the same seed.
StatusOr<Value> RandomShuffle(const Value& x, int64_t seed);

struct LookupOptions {
  std::optional<Value> weights = {};   // one per id
  std::string_view combiner = "mean";  // or `sum`, `sqrtn`
  std::optional<double> max_norm = {};
};
// Looks up rows of the table by number, and combines the rows for each row of ids. A row without
// ids yields 0.
StatusOr<Value> EmbeddingLookup(const Value& table, const Value& ids,
                                const LookupOptions& options = {});

}  // namespace signet
