// SparseParts: the components of a sparse value, with which expansions work while a function is
// specialized.
//
//   sparse float32[2, 3]  <=>  indices int64[?, 2], values float32[?], dense_shape int64[2]
// The entries of a value are in row-major order. Each index occurs once and is within the dense
// shape, whose number of elements fits in int64. ravel_indices checks the indices that an expansion
// creates.

#pragma once

#include <string_view>
#include <vector>

#include "core/ops/def/op_def.h"

namespace signet {

struct SparseParts {
  GraphValue indices;
  GraphValue values;
  GraphValue dense_shape;
  PartialShape shape;  // the dense shape as far as it is known; the rank is known

  int rank() const { return shape.rank(); }
};

// Returns the parts of `value`. UNIMPLEMENTED if it is not a sparse value of known rank.
StatusOr<SparseParts> SparsePartsOf(OpBuilder& build, const GraphValue& value, std::string_view op);
// Makes a sparse value from its parts. Unknown sizes in `shape` are replaced by those of a constant
// dense shape.
GraphValue MakeSparseValue(OpBuilder& build, const SparseParts& parts);

// Returns a constant `int64[n]`.
GraphValue Int64Vector(OpBuilder& build, std::span<const int64_t> elements);
// Returns a scalar of `dtype` that is 0, False, or "".
StatusOr<GraphValue> ZeroScalar(OpBuilder& build, DType dtype);

// Returns the size of dimension `axis`, `int64[]`.
StatusOr<GraphValue> SizeAt(OpBuilder& build, const SparseParts& parts, int axis);
// Returns the dense shape with `size` for dimension `axis`.
StatusOr<GraphValue> WithSizeAt(OpBuilder& build, const SparseParts& parts, int axis,
                                const GraphValue& size);

// Sorts the entries into row-major order. Rejects indices outside of the dense shape.
StatusOr<SparseParts> InOrder(OpBuilder& build, SparseParts parts);
// Returns the same elements in `dense_shape`, which has the same number of elements. `shape` is the
// known part of `dense_shape`.
StatusOr<SparseParts> Reshaped(OpBuilder& build, const SparseParts& parts,
                               const GraphValue& dense_shape, PartialShape shape);
// Returns the entries at `positions`, a vector of int64.
StatusOr<SparseParts> EntriesAt(OpBuilder& build, SparseParts parts, const GraphValue& positions);

// Fails with `error` of `op` unless the condition is True: now if the condition is known, or else
// at run time.
Status CheckThat(OpBuilder& build, const GraphValue& condition, std::string_view op,
                 const Status& error);

// Returns the sizes of a constant dense shape. Sizes less than 0 are unknown.
PartialShape KnownSizes(const Tensor& dense_shape);

}  // namespace signet
