// identity: returns its input, a value of any type.

#include "core/ops/def/inference.h"
#include "core/ops/shape/shape_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferIdentity(const OpCall& call) {
  SIGNET_RETURN_IF_ERROR(TensorInput(call, 0).status());
  return OneOutput(call.inputs[0]);
}

StatusOr<std::vector<GraphValue>> ExpandIdentity(OpBuilder&, const OpCall&,
                                                 std::span<const GraphValue> inputs) {
  return std::vector<GraphValue>{inputs[0]};
}

}  // namespace

OpDef Identity() {
  return {
      .name = "identity",
      .summary = "Returns its input",
      .description = "Returns x.",
      .inputs = {"x"},
      .result = "x.",
      .composites = "The input is a value of any type.",
      .infer = InferIdentity,
      .expand = ExpandIdentity,
      .literals_as_tensors = false,
      .aliasing = Aliasing::kView,
      .any_type = true,
  };
}

}  // namespace signet
