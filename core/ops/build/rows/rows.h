// Rows: the operations from which the expansions of structural ops are built. A tensor, a ragged
// value, or a structure is opened into the rows of its outer dimensions and the elements after
// them. An op changes the rows or selects elements by position, and closes them again. One
// implementation works for all kinds of values.
//
//   OpenRows(ragged int64[2, (?)] [[7, 8], [9]], 2)  =>  dims: 2 | {0, 2, 3};  elements: [7, 8, 9]
//   OpenRows([{a: int64[], b: float32[3]}][2], 1)    =>  dims: 2;  elements: the structure
//
//   SIGNET_ASSIGN_OR_RETURN(Opened x, OpenRows(build, value, axis + 1));
//   SIGNET_ASSIGN_OR_RETURN(x.elements, TakeRows(build, x.elements, positions));
//   return CloseRows(build, x.rows, x.elements, value.spec);
// Level -1 is the whole value, and level d consists of the elements into which dimensions 0 to d
// divide it. dims[d] divides each element of level d - 1 into elements of level d. dims[0] is one
// row with all elements of level 0. Whether a dimension is uniform depends only on the type, never
// on the data. Rows that have the same edges or are known to be equal are not compared at run time.
// Stateless.

#pragma once

#include <string_view>
#include <vector>

#include "core/ops/def/op_def.h"

namespace signet {

// One dimension. It has one row per element of the level before.
struct RowDim {
  GraphValue splits =
      {};  // row splits, int32 or int64; no type: computed from the length if needed
  GraphValue length = {};  // int64[], the length of each row; no type: the lengths may differ
  int64_t known_length = kUnknownDim;  // the length in the type

  bool is_uniform() const { return static_cast<bool>(length.spec); }
};
RowDim RaggedDim(GraphValue splits);
RowDim UniformDim(OpBuilder& build, int64_t length);
RowDim UniformDim(GraphValue length, int64_t known_length = kUnknownDim);

struct Rows {
  std::vector<RowDim> dims;

  int depth() const { return static_cast<int>(dims.size()); }
};

struct Opened {
  Rows rows;
  GraphValue elements;  // a value of the same kind, whose dimension 0 contains the elements of the
                        // last level
};

// Returns the rank of a tensor, a ragged value, or a structure. INVALID_ARGUMENT for other values,
// UNIMPLEMENTED for an unknown rank.
StatusOr<int> RankOf(const GraphValue& value);

// Opens the first `depth` dimensions. Depth 0 adds a dimension of size 1 around the value.
// INVALID_ARGUMENT if the value has fewer dimensions, UNIMPLEMENTED for an unknown rank.
StatusOr<Opened> OpenRows(OpBuilder& build, const GraphValue& value, int depth);

// The same for a tensor or a ragged value whose dimensions are opened at least to the last ragged
// one. The elements are a tensor, even if the value is declared ragged but has no partitions.
StatusOr<Opened> OpenToTensor(OpBuilder& build, const GraphValue& value, int depth);

// The inverse, for rows and elements that fit. `like` is the opened value, or a value with the
// kinds that the result should have. A part that is a tensor in `like` becomes dense along uniform
// dimensions. Other parts become dense only along dimensions without splits. The type of the result
// contains known lengths.
StatusOr<GraphValue> CloseRows(OpBuilder& build, const Rows& rows, const GraphValue& elements,
                               const TypeSpec& like = {});

// Functions that return properties of rows as int64[] or row splits.

// Returns the number of elements of level `level`.
StatusOr<GraphValue> CountAt(OpBuilder& build, const Rows& rows, int level);
// Returns the size of dimension 0 of a tensor, a ragged value, or a structure.
StatusOr<GraphValue> CountRows(OpBuilder& build, const GraphValue& value);
// Returns the row splits of dims[dim]. Row splits that have to be computed have the dtype `dtype`,
// int32 or int64.
StatusOr<GraphValue> SplitsOf(OpBuilder& build, const Rows& rows, int dim,
                              DType dtype = DType::kInt64);
// Returns the row splits that divide the elements of level `inner` among the elements of level
// `outer`.
StatusOr<GraphValue> Compose(OpBuilder& build, const Rows& rows, int outer, int inner);
// Returns, for each element of level `inner`, the index of the element of level `outer` that
// contains it.
StatusOr<GraphValue> RowIdsOf(OpBuilder& build, const Rows& rows, int outer, int inner);

// Returns `rows` with dimensions [outer, inner] merged into one.
StatusOr<Rows> JoinDims(OpBuilder& build, const Rows& rows, int outer, int inner);

// Merges the first `depth` dimensions of both, which must be equal. Rejects dimensions that are
// known to differ with the label `label`, and compares the others at run time. A merged dimension
// is uniform if one of the two is uniform.
StatusOr<Rows> MergeRows(OpBuilder& build, const Rows& a, const Rows& b, int depth,
                         std::string_view label);

// Fails with `error` unless all of `sizes`, int64, are equal to `wanted`, int64[]: now if they are
// known, or else at run time. The check runs even if no op uses the values.
Status CheckSizes(OpBuilder& build, const GraphValue& sizes, const GraphValue& wanted,
                  const Status& error);

// Functions that select elements by position: whole rows of dimension 0. Each column is moved once.

// Returns the elements at `positions`, a vector of int32 or int64.
StatusOr<GraphValue> TakeRows(OpBuilder& build, const GraphValue& elements,
                              const GraphValue& positions);
// Returns `count` elements from `start` on, both int64[]. Tensors are shared, not copied.
// OUT_OF_RANGE if they do not exist.
StatusOr<GraphValue> CutRows(OpBuilder& build, const GraphValue& elements, const GraphValue& start,
                             const GraphValue& count);
// Returns the elements of all values, one after the other. Tensors next to ragged values become
// ragged. With `open`, tensors and dense inner dimensions become ragged, too: dimension 1, and the
// dimensions up to the last one whose sizes differ or are not known to be equal. Rejects different
// dtypes and ranks, and structures with different fields.
StatusOr<GraphValue> JoinRows(OpBuilder& build, std::span<const GraphValue> values,
                              bool open = false);

// Returns a tensor or a ragged value with at least `ragged_rank` row partitions. Dense dimensions
// become uniform partitions.
StatusOr<GraphValue> AsRagged(OpBuilder& build, const GraphValue& value, int ragged_rank);

}  // namespace signet
