// Sparse conversions: convert between sparse values and their components, and between sparse values
// and tensors.

#include "core/ops/build/literal_inputs.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/sparse/sparse_parts.h"
#include "core/ops/def/inference.h"
#include "core/ops/def/literal_dtype.h"
#include "core/ops/sparse/sparse_ops.h"

namespace signet {
namespace {

using Outputs = StatusOr<std::vector<GraphValue>>;
using Inputs = std::span<const GraphValue>;

// Returns input `i`, a tensor or a list of integers, as int64. C1: it has rank `rank`.
StatusOr<GraphValue> Int64Input(OpBuilder& build, Inputs inputs, size_t i, int rank) {
  SIGNET_ASSIGN_OR_RETURN(GraphValue x,
                          WithConstraint("C1", TensorFor(build, inputs[i], DType::kInt64)));
  const auto* tensor = x.spec ? x.spec.As<TensorSpec>() : nullptr;
  bool fits = tensor != nullptr && IsIndexDType(tensor->dtype()) && tensor->shape().has_rank() &&
              tensor->shape().rank() == rank &&
              (rank != 1 || tensor->shape().dim(0) != kUnknownDim);
  if (!fits) {
    return WithConstraint("C1",
                          InvalidArgument("input ", i, ": expected int32 or int64 of rank ", rank,
                                          rank == 1 ? " and of known length" : "", ", found `",
                                          x.spec ? x.spec.ToString() : "None", "`"));
  }
  if (tensor->dtype() == DType::kInt64) return x;
  return build.Cast(x, {.dtype = "int64"});
}

// Expands sparse_from_entries, whose entries may be in any order.
Outputs ExpandFromEntries(OpBuilder& build, const OpCall& call, Inputs inputs) {
  SparseParts parts;
  SIGNET_ASSIGN_OR_RETURN(parts.indices, Int64Input(build, inputs, 0, 2));
  DType dtype = IsPlainLiteral(inputs[1]) ? DefaultDType(inputs[1].spec) : DType::kInt64;
  SIGNET_ASSIGN_OR_RETURN(parts.values, WithConstraint("C1", TensorFor(build, inputs[1], dtype)));
  const auto* values = parts.values.spec ? parts.values.spec.As<TensorSpec>() : nullptr;
  if (values == nullptr || !values->shape().IsCompatibleWith(PartialShape::OfRank(1))) {
    return WithConstraint(
        "C1", InvalidArgument("input 1: expected a vector, found `",
                              values == nullptr ? "None" : call.inputs[1].ToString(), "`"));
  }
  SIGNET_ASSIGN_OR_RETURN(parts.dense_shape, Int64Input(build, inputs, 2, 1));
  // C2: there is one index per value.
  SIGNET_ASSIGN_OR_RETURN(GraphValue indices, DimSize(build, parts.indices, 0));
  SIGNET_ASSIGN_OR_RETURN(GraphValue count, DimSize(build, parts.values, 0));
  SIGNET_ASSIGN_OR_RETURN(GraphValue fits, build.Equal(indices, count));
  SIGNET_RETURN_IF_ERROR(CheckThat(
      build, fits, call.op.name,
      WithConstraint(
          "C2",
          InvalidArgument(
              "expected one index per value, found different numbers of indices and values"))));
  parts.shape = PartialShape::OfRank(
      static_cast<int>(parts.dense_shape.spec.As<TensorSpec>()->shape().dim(0)));
  // C3, C4: ravel_indices checks these. C5: no index occurs twice.
  SIGNET_ASSIGN_OR_RETURN(GraphValue positions,
                          build.RavelIndices(parts.indices, parts.dense_shape));
  SIGNET_ASSIGN_OR_RETURN(auto sorted, build.Sort(positions));
  SIGNET_ASSIGN_OR_RETURN(GraphValue once,
                          build.Equal(build.NumRows(build.GroupEqual(sorted[0])), count));
  SIGNET_RETURN_IF_ERROR(CheckThat(
      build, once, call.op.name,
      WithConstraint("C5",
                     InvalidArgument("indices: expected each index once, found a duplicate"))));
  SIGNET_ASSIGN_OR_RETURN(parts, EntriesAt(build, std::move(parts), sorted[1]));
  return std::vector<GraphValue>{MakeSparseValue(build, parts)};
}

Outputs ExpandComponents(OpBuilder& build, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, SparsePartsOf(build, inputs[0], call.op.name));
  return std::vector<GraphValue>{x.indices, x.values, x.dense_shape};
}

// Expands sparse_from_dense. C1: the input is a tensor of known rank.
Outputs ExpandFromDense(OpBuilder& build, const OpCall&, Inputs inputs) {
  const auto* x = inputs[0].spec ? inputs[0].spec.As<TensorSpec>() : nullptr;
  if (x == nullptr || !x->shape().has_rank()) {
    return WithConstraint(
        "C1", InvalidArgument("input 0: expected a tensor of known rank, found `",
                              inputs[0].spec ? inputs[0].spec.ToString() : "None", "`"));
  }
  const int64_t all[] = {-1};
  SIGNET_ASSIGN_OR_RETURN(GraphValue flat, build.Reshape(inputs[0], {.shape = all}));
  SIGNET_ASSIGN_OR_RETURN(GraphValue there, build.NotEqual(flat, ZeroScalar(build, x->dtype())));
  SIGNET_ASSIGN_OR_RETURN(GraphValue positions, build.WhereRows(there, DimSize(build, there, 0)));
  SparseParts parts;
  parts.shape = x->shape();
  SIGNET_ASSIGN_OR_RETURN(parts.dense_shape, build.Shape(inputs[0]));
  SIGNET_ASSIGN_OR_RETURN(parts.indices, build.UnravelIndices(positions, parts.dense_shape));
  SIGNET_ASSIGN_OR_RETURN(parts.values, build.Gather(flat, positions));
  return std::vector<GraphValue>{MakeSparseValue(build, parts)};
}

Outputs ExpandToDense(OpBuilder& build, const OpCall& call, Inputs inputs) {
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, SparsePartsOf(build, inputs[0], call.op.name));
  // C2: the default is a scalar of the dtype of the sparse value. If it is missing, it is 0, False,
  // or "".
  GraphValue missing = inputs.size() > 1 ? inputs[1] : GraphValue{};
  if (!missing.spec) {
    SIGNET_ASSIGN_OR_RETURN(missing, ZeroScalar(build, x.values.spec.As<TensorSpec>()->dtype()));
  }
  const auto* scalar = missing.spec.As<TensorSpec>();
  bool fits = scalar != nullptr && scalar->dtype() == x.values.spec.As<TensorSpec>()->dtype() &&
              scalar->shape().IsCompatibleWith(Shape{});
  if (!fits) {
    return WithConstraint(
        "C2", InvalidArgument("input 1: expected `",
                              TensorType(x.values.spec.As<TensorSpec>()->dtype(), Shape{}),
                              "`, found `", missing.spec, "`"));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue positions, build.RavelIndices(x.indices, x.dense_shape));
  SIGNET_ASSIGN_OR_RETURN(GraphValue out,
                          build.ScatterDense(positions, x.values, x.dense_shape, missing));
  return std::vector<GraphValue>{out};
}

}  // namespace

std::vector<OpDef> SparseConversionOps() {
  return {
      {.name = "sparse_from_entries",
       .summary = "Creates a sparse value from its entries",
       .description = "Creates a sparse value from entries in any order. Elements without an entry "
                      "count as 0, False, or \"\"; an entry may hold these, too, and is kept.",
       .inputs = {"indices", "values", "dense_shape"},
       .result = "A sparse value of the dtype of the values.",
       .constraints = {"The indices are int32 or int64 of rank 2, the values are a vector, and the "
                       "dense shape is int32 or int64 of known length.",
                       "There is one index per value.",
                       "No size of the dense shape is less than 0, and int64 can hold the number "
                       "of its elements.",
                       "All indices are within the dense shape.", "No index occurs twice."},
       .composites = "The inputs may be lists of literals.",
       .expand = ExpandFromEntries,
       .literals_as_tensors = false},
      {.name = "sparse_components",
       .summary = "Returns the components of a sparse value",
       .description = "Returns the entries in row-major order.",
       .inputs = {"x"},
       .outputs = {"indices", "values", "dense_shape"},
       .result = "Three outputs: the indices `int64[n, rank]`, the values `[n]`, and the dense "
                 "shape `int64[rank]`.",
       .constraints = {"x is a sparse value of known rank."},
       .composites = "The input is a sparse value.",
       .expand = ExpandComponents},
      {.name = "sparse_from_dense",
       .summary = "Converts a tensor to a sparse value",
       .description = "Returns an entry for each element except 0, False, and \"\". Minus zero is "
                      "0, and NaN is kept.",
       .inputs = {"x"},
       .result = "A sparse value of the type of x.",
       .constraints = {"x is a tensor of known rank."},
       .composites = "The input is a tensor.",
       .expand = ExpandFromDense},
      {.name = "sparse_to_dense",
       .summary = "Converts a sparse value to a tensor",
       .description = "Returns a tensor of the dense shape, with the default where there is no "
                      "entry. The default is 0, False, or \"\" if it is missing.",
       .inputs = {"x", "default?"},
       .result = "A tensor of the dtype of x.",
       .constraints = {"x is a sparse value of known rank.",
                       "The default is a scalar of the dtype of x.",
                       "The result has at most 2^31 elements."},
       .composites = "The input is a sparse value.",
       .expand = ExpandToDense},
  };
}

}  // namespace signet
