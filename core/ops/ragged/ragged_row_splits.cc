// ragged_row_splits: returns the row splits of a ragged dimension.

#include "core/ops/build/parts.h"
#include "core/ops/def/inference.h"
#include "core/ops/ragged/ragged_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<GraphValue>> ExpandRaggedRowSplits(OpBuilder&, const OpCall& call,
                                                        std::span<const GraphValue> inputs) {
  // C1: the input has ragged rows: a ragged value, or a structure of rank 2 or more.
  const TypeSpec& spec = call.inputs[0];
  int64_t partitions = 0;
  if (const auto* ragged = spec ? spec.As<RaggedSpec>() : nullptr)
    partitions = ragged->ragged_rank();
  if (const auto* structured = spec ? spec.As<StructuredSpec>() : nullptr) {
    partitions = structured->rank() - 1;
  }
  if (partitions <= 0) {
    return WithConstraint("C1",
                          InvalidArgument("input 0: expected a value with ragged rows, found `",
                                          spec ? spec.ToString() : "None", "`"));
  }
  // C2: `axis` is one of the ragged dimensions. The first ragged dimension is 1.
  SIGNET_ASSIGN_OR_RETURN(int64_t axis, WithConstraint("C2", call.attributes.Int("axis")));
  if (axis < 1 || axis > partitions) {
    return WithConstraint("C2", InvalidArgument("axis: expected 1 to ", partitions, " for `", spec,
                                                "`, found ", axis));
  }
  return std::vector<GraphValue>{ComponentOf(inputs[0], static_cast<size_t>(axis))};
}

}  // namespace

OpDef RaggedRowSplits() {
  return {
      .name = "ragged_row_splits",
      .summary = "Returns the row splits of a ragged dimension",
      .description = "Returns the row splits of dimension `axis`.",
      .inputs = {"x"},
      .attributes = {{"axis", AttributeOf(1)}},
      .result = "A vector of int64, or of int32 if the value has int32 row splits.",
      .constraints = {"The input has ragged rows.",
                      "`axis` is a ragged dimension. The first ragged dimension is 1."},
      .composites = "The input is a ragged value or a structure.",
      .expand = ExpandRaggedRowSplits,
  };
}

}  // namespace signet
