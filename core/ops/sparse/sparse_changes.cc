// sparse_retain, sparse_fill_empty_rows, sparse_reset_shape: change the entries or the dense shape
// of a sparse value.

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/sparse/sparse_parts.h"
#include "core/ops/def/inference.h"
#include "core/ops/sparse/sparse_ops.h"

namespace signet {
namespace {

using Outputs = StatusOr<std::vector<GraphValue>>;
using Inputs = std::span<const GraphValue>;

Outputs ExpandRetain(OpBuilder& build, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, SparsePartsOf(build, inputs[0], call.op.name));
  // C2: the mask is a vector of bool with one element per entry.
  const auto* keep = inputs[1].spec ? inputs[1].spec.As<TensorSpec>() : nullptr;
  if (keep == nullptr || keep->dtype() != DType::kBool ||
      !keep->shape().IsCompatibleWith(PartialShape::OfRank(1))) {
    return WithConstraint(
        "C2", InvalidArgument("input 1: expected a vector of bool, found `",
                              inputs[1].spec ? inputs[1].spec.ToString() : "None", "`"));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue kept, build.WhereRows(inputs[1], DimSize(build, x.values, 0)));
  SIGNET_ASSIGN_OR_RETURN(x, EntriesAt(build, std::move(x), kept));
  return std::vector<GraphValue>{MakeSparseValue(build, x)};
}

Outputs ExpandFillEmptyRows(OpBuilder& build, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, SparsePartsOf(build, inputs[0], call.op.name));
  // C2: the default is a scalar of the dtype of the sparse value.
  DType dtype = x.values.spec.As<TensorSpec>()->dtype();
  const auto* scalar = inputs[1].spec ? inputs[1].spec.As<TensorSpec>() : nullptr;
  if (scalar == nullptr || scalar->dtype() != dtype || scalar->shape() != PartialShape(Shape{})) {
    return WithConstraint(
        "C2", InvalidArgument("input 1: expected `", TensorType(dtype, Shape{}), "`, found `",
                              inputs[1].spec ? inputs[1].spec.ToString() : "None", "`"));
  }
  // C3: fill_rows checks this.
  SIGNET_ASSIGN_OR_RETURN(auto filled, build.FillRows(x.indices, x.dense_shape));
  x.indices = filled[0];
  // The default is stored after the values.
  SIGNET_ASSIGN_OR_RETURN(x.values,
                          build.Concat({x.values, build.ExpandDims(inputs[1], {.axis = 0})}));
  SIGNET_ASSIGN_OR_RETURN(x.values, build.Gather(x.values, filled[1]));
  return std::vector<GraphValue>{MakeSparseValue(build, x), filled[2]};
}

Outputs ExpandResetShape(OpBuilder& build, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, SparsePartsOf(build, inputs[0], call.op.name));
  SIGNET_ASSIGN_OR_RETURN(auto sizes, WithConstraint("C2", OptionalInts(call.attributes, "shape")));
  if (!sizes) {
    SIGNET_ASSIGN_OR_RETURN(x.dense_shape, build.BoundingShape(x.indices));
    x.shape = PartialShape::OfRank(x.rank());
    return std::vector<GraphValue>{MakeSparseValue(build, x)};
  }
  // C2: there is one size per dimension, no size is smaller than before, and the number of elements
  // fits in int64.
  if (sizes->size() != static_cast<size_t>(x.rank())) {
    return WithConstraint(
        "C2", InvalidArgument("shape: expected ", x.rank(), " sizes, one per dimension of `",
                              inputs[0].spec, "`, found ", sizes->size()));
  }
  GraphValue wanted = Int64Vector(build, *sizes);
  SIGNET_ASSIGN_OR_RETURN(GraphValue holds,
                          build.ReduceAll(build.GreaterEqual(wanted, x.dense_shape)));
  SIGNET_RETURN_IF_ERROR(CheckThat(
      build, holds, call.op.name,
      WithConstraint("C2",
                     InvalidArgument("shape: expected sizes of at least the dense shape, found `",
                                     PartialShape(std::span<const int64_t>(*sizes)), "`"))));
  x.dense_shape = wanted;
  SIGNET_ASSIGN_OR_RETURN(x, InOrder(build, std::move(x)));
  return std::vector<GraphValue>{MakeSparseValue(build, x)};
}

}  // namespace

OpDef SparseRetain() {
  return {
      .name = "sparse_retain",
      .summary = "Keeps the entries that a mask selects",
      .description = "Keeps the entries whose element of `keep` is True.",
      .inputs = {"x", "keep"},
      .result = "A sparse value of the type of x.",
      .constraints = {"x is a sparse value of known rank.", "`keep` has one bool per entry."},
      .composites = "The input is a sparse value.",
      .expand = ExpandRetain,
      .own_dtypes = {"keep"},
  };
}

OpDef SparseFillEmptyRows() {
  return {
      .name = "sparse_fill_empty_rows",
      .summary = "Adds a default entry to each empty row",
      .description =
          "Adds an entry with the default at the first element of each row along dimension 0 that "
          "has no entry.",
      .inputs = {"x", "default"},
      .outputs = {"values", "is_empty"},
      .result =
          "Two outputs: the sparse value, and a bool per row that is True if the row had no entry.",
      .constraints = {"x is a sparse value of known rank.",
                      "The default is a scalar of the dtype of x.",
                      "The rank is at least 1, and rows have a first element."},
      .composites = "The input is a sparse value.",
      .expand = ExpandFillEmptyRows,
  };
}

OpDef SparseResetShape() {
  return {
      .name = "sparse_reset_shape",
      .summary = "Changes the dense shape and keeps the entries",
      .description =
          "Returns the same entries in a larger dense shape, or, without `shape`, in the smallest "
          "dense shape that contains them.",
      .inputs = {"x"},
      .attributes = {{"shape", NoneAttribute()}},
      .result = "A sparse value of the dtype of x.",
      .constraints = {"x is a sparse value of known rank.",
                      "`shape` has one size per dimension, which is at least the size before.",
                      "int64 can hold the number of elements of the dense shape."},
      .composites = "The input is a sparse value.",
      .expand = ExpandResetShape,
  };
}

}  // namespace signet
