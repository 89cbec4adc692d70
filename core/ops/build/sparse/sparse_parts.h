// Sparse parts: sparse values taken apart and put together, while a function is specialised. What
// expansions on them are written with.
//
//   sparse float32[2, 3]  <=>  indices int64[?, 2], values float32[?], dense_shape int64[2]
//
// Entries of a value are in row-major order, each index once and within the dense shape, whose
// elements an int64 counts. ravel_indices is what checks indices that an expansion made.

#pragma once

#include <string_view>
#include <vector>

#include "core/ops/def/op_def.h"

namespace signet {

struct SparseParts {
  GraphValue indices;
  GraphValue values;
  GraphValue dense_shape;
  PartialShape shape;  // of known rank: what is known of the dense shape

  int rank() const { return shape.rank(); }
};

// UNIMPLEMENTED for what is not sparse, or of unknown rank.
StatusOr<SparseParts> SparsePartsOf(OpBuilder& build, const GraphValue& value, std::string_view op);
// The sizes of `shape` that are unknown are taken from the dense shape, where that is.
GraphValue MakeSparseValue(OpBuilder& build, const SparseParts& parts);

// A constant `int64[n]`.
GraphValue Int64Vector(OpBuilder& build, std::span<const int64_t> elements);
// A scalar of `dtype` that is 0, False or "".
StatusOr<GraphValue> BlankScalar(OpBuilder& build, DType dtype);

// `int64[]`: the size of dimension `axis`.
StatusOr<GraphValue> SizeAt(OpBuilder& build, const SparseParts& parts, int axis);
// The dense shape with `size` for dimension `axis`.
StatusOr<GraphValue> WithSizeAt(OpBuilder& build, const SparseParts& parts, int axis,
                                const GraphValue& size);

// The entries put in row-major order. Refuses indices out of the dense shape.
StatusOr<SparseParts> InOrder(OpBuilder& build, SparseParts parts);
// The same elements in `dense_shape`, of as many, of which `shape` is known.
StatusOr<SparseParts> Reshaped(OpBuilder& build, const SparseParts& parts,
                               const GraphValue& dense_shape, PartialShape shape);
// The entries at `positions`, a vector of int64.
StatusOr<SparseParts> EntriesAt(OpBuilder& build, SparseParts parts, const GraphValue& positions);

// Refuses the call of `op` with `message`, when it runs, or now where the condition is known.
Status CheckThat(OpBuilder& build, const GraphValue& condition, std::string_view op,
                 std::string_view message);

// Dimensions as a constant dense shape tells them; what is below 0 is unknown.
PartialShape KnownSizes(const Tensor& dense_shape);

}  // namespace signet
