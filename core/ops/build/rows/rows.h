// Rows: the algebra that structural ops are made of. A tensor, ragged or structured value is opened
// into the rows of its outer dimensions and the elements behind them; an op changes the rows, or
// picks elements by position, and closes them again. What it does once holds for every kind.
//
//   OpenRows(ragged int64[2, (?)] [[7, 8], [9]], 2)  =>  dims: 2 | {0, 2, 3};  elements: [7, 8, 9]
//   OpenRows([{a: int64[], b: float32[3]}][2], 1)    =>  dims: 2;  elements: the structure
//
//   SIGNET_ASSIGN_OR_RETURN(Opened x, OpenRows(build, value, axis + 1));
//   SIGNET_ASSIGN_OR_RETURN(x.elements, TakeRows(build, x.elements, positions));
//   return CloseRows(build, x.rows, x.elements, value.spec);
//
// Level d is what dimensions 0 to d divide the value into, level -1 the value as a whole: dims[d]
// divides each of level d - 1 into those of level d, and dims[0] is one row of all. Of a dimension
// the type decides whether it is uniform, never the data. What expansions find equal by edge, or
// known to be so, costs nothing when it runs. Stateless.

#pragma once

#include <string_view>
#include <vector>

#include "core/ops/def/op_def.h"

namespace signet {

// One dimension, whose rows are those of the level before.
struct RowDim {
  GraphValue splits = {};  // row splits, int32 or int64; no type: made from the length when needed
  GraphValue length = {};  // int64[], how long each row is; no type: rows differ
  int64_t known_length = kUnknownDim;  // as far as the type says

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
  GraphValue elements;  // a value of the same kind, whose dimension 0 runs over the last level
};

// How many dimensions a tensor, ragged or structured value has. Refuses others (INVALID_ARGUMENT),
// and an unknown rank (UNIMPLEMENTED).
StatusOr<int> RankOf(const GraphValue& value);

// Opens the first `depth` dimensions. Depth 0 puts a dimension of size 1 around the value. Refuses
// values without so many (INVALID_ARGUMENT), and an unknown rank (UNIMPLEMENTED).
StatusOr<Opened> OpenRows(OpBuilder& build, const GraphValue& value, int depth);

// The same of a tensor or ragged value, opened behind the last ragged dimension: the elements are a
// tensor, also of what is declared ragged and has no partitions.
StatusOr<Opened> OpenToTensor(OpBuilder& build, const GraphValue& value, int depth);

// The inverse, for rows and elements that fit. What is a tensor in `like`, the value opened or one
// whose kinds the result should have, becomes dense along uniform dimensions; anything else only
// along those without splits. Known lengths get into the type.
StatusOr<GraphValue> CloseRows(OpBuilder& build, const Rows& rows, const GraphValue& elements,
                               const TypeSpec& like = {});

// Questions: int64[] and row splits.

// How many elements level `level` has.
StatusOr<GraphValue> CountAt(OpBuilder& build, const Rows& rows, int level);
// How long dimension 0 of a tensor, ragged or structured value is.
StatusOr<GraphValue> CountRows(OpBuilder& build, const GraphValue& value);
// The row splits of dims[dim]; of `dtype`, int32 or int64, where they have to be made.
StatusOr<GraphValue> SplitsOf(OpBuilder& build, const Rows& rows, int dim,
                              DType dtype = DType::kInt64);
// The row splits that divide the elements of level `inner` among those of level `outer`.
StatusOr<GraphValue> Compose(OpBuilder& build, const Rows& rows, int outer, int inner);
// Which element of level `outer` each element of level `inner` is in.
StatusOr<GraphValue> RowIdsOf(OpBuilder& build, const Rows& rows, int outer, int inner);

// `rows` with dimensions [outer, inner] as one.
StatusOr<Rows> JoinDims(OpBuilder& build, const Rows& rows, int outer, int inner);

// The first `depth` dimensions of both, which must be the same: refused under `label` when they are
// known to differ, else compared when it runs. Uniform where either is.
StatusOr<Rows> MergeRows(OpBuilder& build, const Rows& a, const Rows& b, int depth,
                         std::string_view label);

// Refuses the call with `message` unless all of `sizes`, int64, are `wanted`, int64[]: now where
// they are known, else when it runs, whatever becomes of the values.
Status CheckSizes(OpBuilder& build, const GraphValue& sizes, const GraphValue& wanted,
                  std::string_view message);

// Elements by position: whole rows of dimension 0, each column moved once.

// Those at `positions`, a vector of int32 or int64.
StatusOr<GraphValue> TakeRows(OpBuilder& build, const GraphValue& elements,
                              const GraphValue& positions);
// `count` of them from `start` on, both int64[]; tensors are shared, not copied. OUT_OF_RANGE.
StatusOr<GraphValue> CutRows(OpBuilder& build, const GraphValue& elements, const GraphValue& start,
                             const GraphValue& count);
// Those of all values, one after the other. Tensors beside ragged values become ragged; with
// `open`, tensors and dense tails of rank at least 2 do as well, as far in as sizes differ or are
// not known to be the same, but in dimension 1 at least. Refuses structures of other fields or
// rank, and other ranks and dtypes.
StatusOr<GraphValue> JoinRows(OpBuilder& build, std::span<const GraphValue> values,
                              bool open = false);

// A tensor or ragged value with at least `ragged_rank` row partitions: uniform ones where it was
// dense.
StatusOr<GraphValue> AsRagged(OpBuilder& build, const GraphValue& value, int ragged_rank);

}  // namespace signet
