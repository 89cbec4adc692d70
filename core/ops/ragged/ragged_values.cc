// ragged_values: returns the flat values of a ragged value.

#include "core/ops/build/parts.h"
#include "core/ops/def/inference.h"
#include "core/ops/ragged/ragged_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<GraphValue>> ExpandRaggedValues(OpBuilder&, const OpCall& call,
                                                     std::span<const GraphValue> inputs) {
  // C1: the input is a ragged value or a tensor. A tensor is its own flat values.
  const TypeSpec& spec = call.inputs[0];
  if (!spec || !(spec.is(TypeKind::kRagged) || spec.is(TypeKind::kTensor))) {
    return WithConstraint("C1", InvalidArgument("input 0: expected a ragged value, found `",
                                                spec ? spec.ToString() : "None", "`"));
  }
  return std::vector<GraphValue>{ComponentOf(inputs[0], 0)};
}

}  // namespace

OpDef RaggedValues() {
  return {
      .name = "ragged_values",
      .summary = "Returns the flat values of a ragged value",
      .description =
          "Returns the values of all rows, without any ragged dimension. A tensor is its own flat "
          "values.",
      .inputs = {"x"},
      .result = "A tensor of the same dtype.",
      .constraints = {"The input is a ragged value or a tensor."},
      .composites = "The input is a ragged value or a tensor.",
      .expand = ExpandRaggedValues,
  };
}

}  // namespace signet
