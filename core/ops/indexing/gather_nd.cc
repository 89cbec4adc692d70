// gather_nd: selects elements or slices by vectors of indices, one index for each of the first
// dimensions.
//
//   gather_nd([["a", "b"], ["c"]], [[0, 1], [1, 0]])  =>  ["b", "c"]
//   gather_nd([["a", "b"], ["c"]], [[1]])             =>  [["c"]]

#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/build/sparse/sparse_picks.h"
#include "core/ops/def/inference.h"
#include "core/ops/indexing/gather_rows.h"
#include "core/ops/indexing/indexing_ops.h"

namespace signet {
namespace {

Status CheckVectors(const TypeSpec& x, const TypeSpec& indices) {
  // C2: each vector has at most as many indices as `x` has dimensions.
  const PartialShape& shape = *indices.shape();
  bool fits = shape.rank() > 0 && shape.dim(shape.rank() - 1) <= x.shape()->rank();
  if (fits) return absl::OkStatus();
  return WithConstraint("C2",
                        InvalidArgument("input 1: expected vectors of at most ", x.shape()->rank(),
                                        " indices for `", x, "`, found `", indices, "`"));
}

StatusOr<std::vector<TypeSpec>> InferGatherNd(const OpCall& call) {
  // C1: the inputs are tensors, and the indices are int32 or int64.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* indices, TensorInput(call, 1));
  if (!IsIndexDType(indices->dtype())) {
    return WithConstraint(
        "C1", InvalidArgument("input 1: expected int32 or int64, found `", call.inputs[1], "`"));
  }
  const PartialShape& shape = indices->shape();
  if (!shape.has_rank() || !x->shape().has_rank()) return OneOutput(TensorType(x->dtype(), {}));
  SIGNET_RETURN_IF_ERROR(CheckVectors(call.inputs[0], call.inputs[1]));
  int last = shape.rank() - 1;
  if (shape.dim(last) == kUnknownDim) return OneOutput(TensorType(x->dtype(), {}));
  PartialShape out = shape.Slice(0, last).Concatenate(
      x->shape().Slice(static_cast<int>(shape.dim(last)), x->shape().rank()));
  SIGNET_RETURN_IF_ERROR(CheckOutputSize(out));
  return OneOutput(TensorType(x->dtype(), std::move(out)));
}

// Returns index `i` of each vector. `flat` contains the vectors of `width` indices one after the
// other.
StatusOr<GraphValue> Column(OpBuilder& build, const GraphValue& flat, int i, int width) {
  if (width == 1) return flat;
  const int64_t start[] = {i};
  const int64_t step[] = {width};
  return build.Slice(flat, {.starts = start, .steps = step});
}

StatusOr<std::vector<GraphValue>> ExpandGatherNd(OpBuilder& build, const OpCall& call,
                                                 std::span<const GraphValue> inputs) {
  for (size_t i = 0; i < 2; ++i) {
    if (!inputs[i].spec) return TensorInput(call, i).status();
  }
  const GraphValue& x = inputs[0];
  SIGNET_ASSIGN_OR_RETURN(GraphValue indices, TensorFor(build, inputs[1], DType::kInt64));
  if (x.spec.is(TypeKind::kTensor) && indices.spec.is(TypeKind::kTensor)) {
    return build.CallAll("gather_nd", {x, indices}, call.attributes);
  }
  SIGNET_RETURN_IF_ERROR(CheckPicked(x, indices));
  SIGNET_RETURN_IF_ERROR(CheckVectors(x.spec, indices.spec));
  int rank = indices.spec.shape()->rank();
  auto width = static_cast<int>(indices.spec.shape()->dim(rank - 1));
  if (width < 0) {
    return WithConstraint(
        "C2",
        InvalidArgument("input 1: expected vectors of a known size, found `", indices.spec, "`"));
  }
  SIGNET_ASSIGN_OR_RETURN(Opened from, OpenRows(build, x, width));
  SIGNET_ASSIGN_OR_RETURN(Opened vectors, OpenRows(build, indices, rank));
  vectors.rows.dims.pop_back();
  // A vector without indices selects the whole value, which is the only row of level -1.
  GraphValue positions;
  if (width == 0) {
    SIGNET_ASSIGN_OR_RETURN(positions, RowIdsOf(build, vectors.rows, -1, rank - 2));
  }
  for (int i = 0; i < width; ++i) {
    SIGNET_ASSIGN_OR_RETURN(GraphValue column, Column(build, vectors.elements, i, width));
    if (i > 0) {
      SIGNET_ASSIGN_OR_RETURN(column,
                              build.RowElements(SplitsOf(build, from.rows, i), positions, column));
    }
    positions = std::move(column);
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue elements, TakeRows(build, from.elements, positions));
  return OneOutput(CloseRows(build, vectors.rows, elements));
}

}  // namespace

OpDef GatherNd() {
  return {
      .name = "gather_nd",
      .summary = "Selects elements or slices by vectors of indices",
      .description =
          "The last dimension of `indices` holds vectors of indices. Each vector selects the "
          "element x[v0][v1]..., or a slice if the vector has fewer elements than x has "
          "dimensions.",
      .inputs = {"x", "indices"},
      .result =
          "A value with the outer dimensions of the indices, followed by the dimensions of x that "
          "the vectors do not index.",
      .constraints =
          {"x is a tensor, a ragged value, a sparse value, or a structure. The indices are int32 "
           "or int64.",
           "The vectors have at most as many elements as x has dimensions. If x or the indices are "
           "not tensors, their length is known.",
           "Each index is in range (OUT_OF_RANGE).",
           "Each index into a ragged row is less than the length of the row (OUT_OF_RANGE)."},
      .composites =
          "x may be ragged or a structure, and the indices may be ragged except in the last "
          "dimension. On a sparse value, the indices are a tensor, and the length of the vectors "
          "is known.",
      .infer = InferGatherNd,
      .expand = ExpandGatherNd,
      .expand_sparse = ExpandSparseGatherNd,
      .literals_as_tensors = false,
  };
}

}  // namespace signet
