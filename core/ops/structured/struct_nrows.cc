// struct_nrows: counts the rows of a structure, a ragged value, or a tensor.

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/def/inference.h"
#include "core/ops/structured/structured_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<GraphValue>> ExpandStructNrows(OpBuilder& build, const OpCall& call,
                                                    std::span<const GraphValue> inputs) {
  // C1: the input has a dimension 0.
  const TypeSpec& spec = call.inputs[0];
  const PartialShape* shape = spec ? spec.shape() : nullptr;
  if (shape == nullptr || (shape->has_rank() && shape->rank() == 0)) {
    return WithConstraint("C1",
                          InvalidArgument("input 0: expected a value of rank at least 1, found `",
                                          spec ? spec.ToString() : "None", "`"));
  }
  GraphValue rows;
  const auto* ragged = spec.As<RaggedSpec>();
  if (shape->has_rank() && shape->dim(0) != kUnknownDim) {
    rows = Int64Constant(build, shape->dim(0));
  } else if (spec.is(TypeKind::kStructured)) {
    rows = ComponentOf(inputs[0], 0);
  } else if (ragged != nullptr && ragged->ragged_rank() > 0) {
    SIGNET_ASSIGN_OR_RETURN(rows, build.NumRows(ComponentOf(inputs[0], 1)));
  } else {
    SIGNET_ASSIGN_OR_RETURN(rows, DimSize(build, ComponentOf(inputs[0], 0), 0));
  }
  return std::vector<GraphValue>{rows};
}

}  // namespace

OpDef StructNrows() {
  return {
      .name = "struct_nrows",
      .summary = "Returns the number of rows",
      .description = "Returns the size of dimension 0.",
      .inputs = {"x"},
      .result = "`int64[]`.",
      .constraints = {"The input has a rank of at least 1."},
      .composites = "The input is a structure, a ragged value, or a tensor.",
      .expand = ExpandStructNrows,
  };
}

}  // namespace signet
