#include "core/ops/elementwise/sparse_arithmetic.h"

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/sparse/sparse_expansions.h"
#include "core/ops/build/sparse/sparse_parts.h"
#include "signet/sparse_spec.h"

namespace signet {

using Outputs = StatusOr<std::vector<GraphValue>>;
using Inputs = std::span<const GraphValue>;

Outputs ExpandSparseScaled(OpBuilder& build, const OpCall& call, Inputs inputs) {
  size_t at = IsSparse(inputs[0]) ? 0 : 1;
  const auto* scalar = inputs[1 - at].spec ? inputs[1 - at].spec.As<TensorSpec>() : nullptr;
  bool scales = scalar != nullptr && scalar->shape() == PartialShape(Shape{}) &&
                (at == 0 || call.op.name == "mul");
  if (!scales) {
    return Unimplemented("`", call.op.name, "`: expected a sparse value and a scalar, found `",
                         TypesOf(inputs), "`");
  }
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, SparsePartsOf(build, inputs[at], call.op.name));
  std::vector<GraphValue> operands(inputs.begin(), inputs.end());
  operands[at] = x.values;
  SIGNET_ASSIGN_OR_RETURN(auto scaled, build.Call(call.op.name, operands, call.attributes));
  x.values = scaled[0];
  return std::vector<GraphValue>{MakeSparseValue(build, x)};
}

Outputs ExpandSparseAdd(OpBuilder& build, const OpCall& call, Inputs inputs) {
  if (!IsSparse(inputs[0]) || !IsSparse(inputs[1])) {
    return Unimplemented("`", call.op.name, "`: expected two sparse values, found `",
                         TypesOf(inputs),
                         "`; convert sparse values to tensors with `sparse_to_dense`");
  }
  SIGNET_ASSIGN_OR_RETURN(SparseParts x, SparsePartsOf(build, inputs[0], call.op.name));
  SIGNET_ASSIGN_OR_RETURN(SparseParts y, SparsePartsOf(build, inputs[1], call.op.name));
  // C3: their dtypes are equal. C4: their dense shapes are equal.
  if (inputs[0].spec.As<SparseSpec>()->dtype() != inputs[1].spec.As<SparseSpec>()->dtype()) {
    return WithConstraint(
        "C3", InvalidArgument("inputs: expected the same dtype, found `", TypesOf(inputs), "`"));
  }
  auto shape = x.shape.MergeWith(y.shape);
  if (!shape.ok()) {
    return WithConstraint("C4", InvalidArgument("inputs: expected the same dense shape, found `",
                                                TypesOf(inputs), "`"));
  }
  SIGNET_ASSIGN_OR_RETURN(GraphValue same, build.IsSame(x.dense_shape, y.dense_shape));
  SIGNET_RETURN_IF_ERROR(CheckThat(build, same, call.op.name,
                                   WithConstraint("C4", InvalidArgument("dense shapes differ"))));
  if (call.op.name == "sub") {
    SIGNET_ASSIGN_OR_RETURN(y.values, build.Neg(y.values));
  }
  SIGNET_ASSIGN_OR_RETURN(x.indices, build.Concat({x.indices, y.indices}));
  SIGNET_ASSIGN_OR_RETURN(x.values, build.Concat({x.values, y.values}));
  SIGNET_ASSIGN_OR_RETURN(GraphValue positions, build.RavelIndices(x.indices, x.dense_shape));
  SIGNET_ASSIGN_OR_RETURN(Positioned merged,
                          MergedEntries(build, {positions, x.values}, false, "segment_sum"));
  x.values = merged.values;
  SIGNET_ASSIGN_OR_RETURN(x.indices, build.UnravelIndices(merged.positions, x.dense_shape));
  x.shape = *shape;
  return std::vector<GraphValue>{MakeSparseValue(build, x)};
}

}  // namespace signet
