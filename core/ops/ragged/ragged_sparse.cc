// ragged_to_sparse, ragged_from_sparse: convert between ragged values and sparse values.
//
//   [["a", "b"], ["c"]]  <=>  (0, 0): "a", (0, 1): "b", (1, 0): "c", of shape [2, 2]

#include "core/ops/ragged/ragged_sparse.h"

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/row_splits.h"
#include "core/ops/build/rows/coordinates.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/def/inference.h"
#include "core/ops/ragged/ragged_ops.h"
#include "signet/sparse_spec.h"

namespace signet {
namespace {

// Returns the length of the longest row of dimension `dim`.
StatusOr<GraphValue> LongestRow(OpBuilder& build, const Rows& rows, int dim) {
  const RowDim& found = rows.dims[static_cast<size_t>(dim)];
  if (found.is_uniform()) return found.length;
  SIGNET_ASSIGN_OR_RETURN(GraphValue lengths, build.RowLengths(found.splits));
  GraphValue none = build.Constant(Tensor::Of<int64_t>({1}, {0}));
  return build.ReduceMax(build.Concat({lengths, none}));
}

// Returns the smallest shape that contains all rows. Rejects a shape whose number of elements
// exceeds the range of int64.
StatusOr<GraphValue> BoundingShape(OpBuilder& build, const Rows& rows) {
  std::vector<GraphValue> sizes;
  for (int dim = 0; dim < rows.depth(); ++dim) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue size, LongestRow(build, rows, dim));
    sizes.push_back(std::move(size));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue shape, build.Stack(sizes));
  // C2: the number of elements of the dense shape fits in int64.
  SIGNET_ASSIGN_OR_RETURN(GraphValue product,
                          build.ReduceProd(build.Cast(shape, {.dtype = DType::kFloat64})));
  GraphValue limit = build.Constant(Tensor::Scalar(0x1p63));
  SIGNET_ASSIGN_OR_RETURN(GraphValue fits, build.Less(product, limit));
  SIGNET_RETURN_IF_ERROR(CheckCondition(
      build, fits,
      WithConstraint("ragged_to_sparse C2",
                     InvalidArgument("`ragged_to_sparse`: the number of elements of the dense "
                                     "shape exceeds the range of int64"))));
  return shape;
}

StatusOr<std::vector<GraphValue>> ExpandRaggedToSparse(OpBuilder& build, const OpCall& call,
                                                       std::span<const GraphValue> inputs) {
  // C1: the input is a ragged value or a tensor of known rank, which is at least 1.
  const TypeSpec& spec = call.inputs[0];
  bool fits = (spec.is(TypeKind::kRagged) || spec.is(TypeKind::kTensor)) &&
              spec.shape()->has_rank() && spec.shape()->rank() > 0;
  if (!fits) {
    return WithConstraint("C1", InvalidArgument("input 0: expected a ragged value or a tensor of "
                                                "known rank, which is at least 1, found "
                                                "`",
                                                spec ? spec.ToString() : "None", "`"));
  }
  int rank = spec.shape()->rank();
  SIGNET_ASSIGN_OR_RETURN(Opened x, OpenToTensor(build, inputs[0], rank));
  SIGNET_ASSIGN_OR_RETURN(GraphValue all, RowIdsOf(build, x.rows, rank - 1, rank - 1));
  SIGNET_ASSIGN_OR_RETURN(GraphValue indices, CoordinatesOf(build, x.rows, all));
  SIGNET_ASSIGN_OR_RETURN(GraphValue shape, BoundingShape(build, x.rows));
  DType dtype = x.elements.spec.As<TensorSpec>()->dtype();
  const GraphValue parts[] = {indices, x.elements, shape};
  return std::vector<GraphValue>{Joined(SparseType(dtype, *spec.shape()), parts)};
}

StatusOr<std::vector<GraphValue>> ExpandRaggedFromSparse(OpBuilder& build, const OpCall& call,
                                                         std::span<const GraphValue> inputs) {
  // C1: the input is a sparse value of rank 2.
  const TypeSpec& spec = call.inputs[0];
  if (!spec.is(TypeKind::kSparse) || !spec.shape()->IsCompatibleWith(PartialShape::OfRank(2)) ||
      !spec.shape()->has_rank()) {
    return WithConstraint("C1",
                          InvalidArgument("input 0: expected a sparse value of rank 2, found `",
                                          spec ? spec.ToString() : "None", "`"));
  }
  SIGNET_ASSIGN_OR_RETURN(Entries entries, OpenEntries(build, inputs[0]));
  // C2: the entries of each row are in its first columns.
  SIGNET_ASSIGN_OR_RETURN(GraphValue places, build.Range({DimSize(build, entries.columns, 0)}));
  SIGNET_ASSIGN_OR_RETURN(GraphValue starts,
                          build.Gather(entries.values.rows.dims[1].splits, entries.rows));
  SIGNET_ASSIGN_OR_RETURN(places, build.Sub(places, starts));
  SIGNET_ASSIGN_OR_RETURN(GraphValue packed, build.ReduceAll(build.Equal(entries.columns, places)));
  SIGNET_RETURN_IF_ERROR(CheckCondition(
      build, packed,
      WithConstraint("ragged_from_sparse C2",
                     InvalidArgument("`ragged_from_sparse`: expected rows whose entries are in "
                                     "the first columns, found rows with gaps"))));
  SIGNET_ASSIGN_OR_RETURN(GraphValue out,
                          CloseRows(build, entries.values.rows, entries.values.elements));
  return std::vector<GraphValue>{out};
}

}  // namespace

StatusOr<Entries> OpenEntries(OpBuilder& build, const GraphValue& sparse) {
  GraphValue indices = ComponentOf(sparse, 0);
  SIGNET_ASSIGN_OR_RETURN(auto columns, build.Unstack(indices, {.axis = 1}));
  int64_t known_rows = sparse.spec.shape()->dim(0);
  GraphValue rows = Int64Constant(build, known_rows);
  if (known_rows == kUnknownDim) {
    SIGNET_ASSIGN_OR_RETURN(rows, build.Gather(ComponentOf(sparse, 2), Int64Constant(build, 0)));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue splits, build.RowSplitsFromRowIds(columns[0], rows));
  Rows opened{{UniformDim(std::move(rows), known_rows), RaggedDim(std::move(splits))}};
  return Entries{{std::move(opened), ComponentOf(sparse, 1)}, columns[0], columns[1]};
}

OpDef RaggedToSparse() {
  return {
      .name = "ragged_to_sparse",
      .summary = "Converts a ragged value to a sparse value",
      .description =
          "Returns a sparse value with one entry per element. Its dense shape is the smallest one "
          "that contains all rows.",
      .inputs = {"x"},
      .result = "A sparse value of the same dtype and rank.",
      .constraints = {"The input is a ragged value or a tensor of known rank, at least 1.",
                      "The dense shape has less than 2^63 elements."},
      .composites = "The input is a ragged value or a tensor.",
      .expand = ExpandRaggedToSparse,
  };
}

OpDef RaggedFromSparse() {
  return {
      .name = "ragged_from_sparse",
      .summary = "Converts a sparse matrix to rows",
      .description = "Returns the entries of each row of a sparse matrix.",
      .inputs = {"x"},
      .result = "A ragged value of rank 2 with the same dtype.",
      .constraints = {"The input is a sparse value of rank 2.",
                      "The entries of each row are in its first columns, without gaps."},
      .composites = "The input is a sparse value.",
      .expand = ExpandRaggedFromSparse,
  };
}

}  // namespace signet
