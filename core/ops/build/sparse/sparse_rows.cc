#include "core/ops/build/sparse/sparse_rows.h"

#include <numeric>

#include "core/ops/build/parts.h"
#include "core/ops/build/rows/rows.h"

namespace signet {
namespace {

// The vector `sizes` from the first but `skipped` on.
StatusOr<GraphValue> Behind(Expander& expander, const GraphValue& sizes, int skipped) {
  const int64_t starts[] = {skipped};
  return expander.Call1("slice", {sizes}, Attributes({{"starts", AttributeOf(std::span(starts))}}));
}

}  // namespace

StatusOr<SparseRows> OpenSparseRows(Expander& expander, const SparseParts& x) {
  Attributes along_columns({{"axis", AttributeOf(1)}});
  SIGNET_ASSIGN_OR_RETURN(
      GraphValue column,
      expander.Call1("gather", {x.indices, Int64Constant(expander, 0)}, along_columns));
  SIGNET_ASSIGN_OR_RETURN(GraphValue count, SizeAt(expander, x, 0));
  SIGNET_ASSIGN_OR_RETURN(GraphValue splits,
                          expander.Call1("row_splits_from_row_ids", {column, count}));
  std::vector<int64_t> others(static_cast<size_t>(x.rank() - 1));
  std::iota(others.begin(), others.end(), 1);
  SIGNET_ASSIGN_OR_RETURN(
      GraphValue indices,
      expander.Call1("gather", {x.indices, Int64Vector(expander, others)}, along_columns));
  SparseRows rows;
  SIGNET_ASSIGN_OR_RETURN(rows.indices, MakeRaggedValue({indices, {splits}}));
  SIGNET_ASSIGN_OR_RETURN(rows.values, MakeRaggedValue({x.values, {splits}}));
  SIGNET_ASSIGN_OR_RETURN(rows.row.dense_shape, Behind(expander, x.dense_shape, 1));
  rows.row.shape = x.shape.Slice(1, x.rank());
  return rows;
}

StatusOr<SparseParts> CloseSparseRows(Expander& expander, const SparseRows& rows) {
  RaggedParts indices = RaggedPartsOf(rows.indices);
  SIGNET_ASSIGN_OR_RETURN(GraphValue ids, expander.Call1("segment_ids", {indices.splits[0]}));
  SIGNET_ASSIGN_OR_RETURN(
      ids, expander.Call1("expand_dims", {ids}, Attributes({{"axis", AttributeOf(1)}})));
  SIGNET_ASSIGN_OR_RETURN(GraphValue count, CountRows(expander, rows.indices));
  SIGNET_ASSIGN_OR_RETURN(
      count, expander.Call1("expand_dims", {count}, Attributes({{"axis", AttributeOf(0)}})));
  SparseParts x;
  x.values = RaggedPartsOf(rows.values).values;
  const GraphValue columns[] = {ids, indices.values};
  SIGNET_ASSIGN_OR_RETURN(auto joined,
                          expander.Call("concat", columns, Attributes({{"axis", AttributeOf(1)}})));
  x.indices = joined[0];
  SIGNET_ASSIGN_OR_RETURN(GraphValue sizes,
                          expander.Call1("concat", {count, rows.row.dense_shape}));
  // What checks that they can be counted.
  SIGNET_ASSIGN_OR_RETURN(x.dense_shape, expander.Call1("complete_shape", {sizes, sizes}));
  x.shape = PartialShape{rows.indices.spec.shape()->dim(0)}.Concatenate(rows.row.shape);
  return x;
}

}  // namespace signet
