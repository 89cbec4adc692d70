#include "core/ops/build/sparse/sparse_rows.h"

#include <numeric>

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/rows.h"

namespace signet {
namespace {

// Returns the vector `sizes` without its first `skipped` elements.
StatusOr<GraphValue> WithoutFirst(OpBuilder& build, const GraphValue& sizes, int skipped) {
  const int64_t starts[] = {skipped};
  return build.Slice(sizes, {.starts = starts});
}

}  // namespace

StatusOr<SparseRows> OpenSparseRows(OpBuilder& build, const SparseParts& x) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue column,
                          build.Gather(x.indices, Int64Constant(build, 0), {.axis = 1}));
  SIGNET_ASSIGN_OR_RETURN(GraphValue splits,
                          build.RowSplitsFromRowIds(column, SizeAt(build, x, 0)));
  std::vector<int64_t> others(static_cast<size_t>(x.rank() - 1));
  std::iota(others.begin(), others.end(), 1);
  SIGNET_ASSIGN_OR_RETURN(GraphValue indices,
                          build.Gather(x.indices, Int64Vector(build, others), {.axis = 1}));
  SparseRows rows;
  SIGNET_ASSIGN_OR_RETURN(rows.indices, MakeRaggedValue({indices, {splits}}));
  SIGNET_ASSIGN_OR_RETURN(rows.values, MakeRaggedValue({x.values, {splits}}));
  SIGNET_ASSIGN_OR_RETURN(rows.row.dense_shape, WithoutFirst(build, x.dense_shape, 1));
  rows.row.shape = x.shape.Slice(1, x.rank());
  return rows;
}

StatusOr<SparseParts> CloseSparseRows(OpBuilder& build, const SparseRows& rows) {
  RaggedParts indices = RaggedPartsOf(rows.indices);
  SIGNET_ASSIGN_OR_RETURN(GraphValue ids,
                          build.ExpandDims(build.SegmentIds(indices.splits[0]), {.axis = 1}));
  SIGNET_ASSIGN_OR_RETURN(GraphValue count,
                          build.ExpandDims(CountRows(build, rows.indices), {.axis = 0}));
  SparseParts x;
  x.values = RaggedPartsOf(rows.values).values;
  SIGNET_ASSIGN_OR_RETURN(GraphValue joined, build.Concat({ids, indices.values}, {.axis = 1}));
  x.indices = joined;
  SIGNET_ASSIGN_OR_RETURN(GraphValue sizes, build.Concat({count, rows.row.dense_shape}));
  // Rejects a shape whose number of elements exceeds the range of int64.
  SIGNET_ASSIGN_OR_RETURN(x.dense_shape, build.CompleteShape(sizes, sizes));
  x.shape = PartialShape{rows.indices.spec.shape()->dim(0)}.Concatenate(rows.row.shape);
  return x;
}

}  // namespace signet
