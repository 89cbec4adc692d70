// merge_dims: merges consecutive dimensions into one.
//
//   merge_dims(x, outer=0, inner=1)   x: [[{a: int8[]}]]   =>  [{a: int8[]}]
// The op is an expansion that does not move elements. Nests and extension values are expanded leaf
// by leaf.

#include <numeric>

#include "core/ops/build/op_builder.h"
#include "core/ops/build/rows/rows.h"
#include "core/ops/build/sparse/sparse_parts.h"
#include "core/ops/def/inference.h"
#include "core/ops/shape/shape_ops.h"

namespace signet {
namespace {

// The first and the last of the merged dimensions.
struct MergedAxes {
  int outer;
  int inner;
};

// C2: `outer` and `inner` are dimensions, and `outer` is before `inner`.
StatusOr<MergedAxes> MergedAxesOf(const OpCall& call, int rank) {
  SIGNET_ASSIGN_OR_RETURN(int outer, AxisAttribute(call, "outer", rank, "C2"));
  SIGNET_ASSIGN_OR_RETURN(int inner, AxisAttribute(call, "inner", rank, "C2"));
  if (outer < inner) return MergedAxes{outer, inner};
  return WithConstraint(
      "C2", InvalidArgument("expected `outer` before `inner`, found axes ", outer, " and ", inner));
}

StatusOr<std::vector<GraphValue>> ExpandMergeDims(OpBuilder& build, const OpCall& call,
                                                  std::span<const GraphValue> inputs) {
  // C1: the input is a tensor, a ragged value, a sparse value, or a structure.
  SIGNET_ASSIGN_OR_RETURN(int rank, WithConstraint("C1", RankOf(inputs[0])));
  SIGNET_ASSIGN_OR_RETURN(MergedAxes axes, MergedAxesOf(call, rank));
  SIGNET_ASSIGN_OR_RETURN(Opened x, OpenRows(build, inputs[0], axes.inner + 1));
  SIGNET_ASSIGN_OR_RETURN(x.rows, JoinDims(build, x.rows, axes.outer, axes.inner));
  return OneOutput(CloseRows(build, x.rows, x.elements, inputs[0].spec));
}

StatusOr<std::vector<GraphValue>> ExpandSparseMergeDims(OpBuilder& build, const OpCall& call,
                                                        std::span<const GraphValue> inputs) {
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, SparsePartsOf(build, inputs[0], call.op.name));
  SIGNET_ASSIGN_OR_RETURN(MergedAxes axes, MergedAxesOf(call, x.rank()));
  auto sizes = [&](int begin, int end) {
    std::vector<int64_t> which(static_cast<size_t>(end - begin));
    std::iota(which.begin(), which.end(), begin);
    return build.Gather(x.dense_shape, Int64Vector(build, which));
  };
  SIGNET_ASSIGN_OR_RETURN(GraphValue before, sizes(0, axes.outer));
  SIGNET_ASSIGN_OR_RETURN(GraphValue merged, sizes(axes.outer, axes.inner + 1));
  SIGNET_ASSIGN_OR_RETURN(GraphValue after, sizes(axes.inner + 1, x.rank()));
  SIGNET_ASSIGN_OR_RETURN(merged, build.ReduceProd(merged, {.axes = 0, .keepdims = true}));
  SIGNET_ASSIGN_OR_RETURN(GraphValue dense_shape, build.Concat({before, merged, after}));
  // Rejects a product that exceeds the range of int64.
  SIGNET_ASSIGN_OR_RETURN(dense_shape, build.CompleteShape(x.dense_shape, dense_shape));
  const PartialShape known = x.shape.Slice(axes.outer, axes.inner + 1);
  const auto product = known.num_elements();
  PartialShape shape = x.shape.Slice(0, axes.outer)
                           .Concatenate({product.value_or(kUnknownDim)})
                           .Concatenate(x.shape.Slice(axes.inner + 1, x.rank()));
  SIGNET_ASSIGN_OR_RETURN(SparseParts made, Reshaped(build, x, dense_shape, std::move(shape)));
  return std::vector<GraphValue>{MakeSparseValue(build, made)};
}

}  // namespace

OpDef MergeDims() {
  return {
      .name = "merge_dims",
      .summary = "Merges consecutive dimensions into one",
      .description =
          "Merges the dimensions from `outer` to `inner` into one, in all fields of a structure. "
          "Rows are joined: `[[1, 2], [], [3]]` becomes `[1, 2, 3]`. The new dimension is uniform "
          "if all of them are.",
      .inputs = {"x"},
      .attributes = {{"outer"}, {"inner"}},
      .result = "A value of the dtype of x with fewer dimensions.",
      .constraints = {"The input is a tensor, a ragged value, a sparse value, a structure, or a "
                      "nest of such values.",
                      "`outer` and `inner` are dimensions, and `outer` is before `inner`."},
      .composites = "The axes of a structure are its own dimensions, before those of its fields.",
      .expand = ExpandMergeDims,
      .expand_sparse = ExpandSparseMergeDims,
      .by_leaf = ByLeaf::kFirstInput,
  };
}

}  // namespace signet
