// stack: joins values along a new axis. The constraints are those of docs/reference/ops.md.

#include "core/ops/build/leaves.h"
#include "core/ops/build/op_builder.h"
#include "core/ops/build/rows/joins.h"
#include "core/ops/def/inference.h"
#include "core/ops/shape/shape_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferStack(const OpCall& call) {
  // C1: at least one input, and all of them are tensors.
  if (call.inputs.empty()) return InvalidArgument("C1 no inputs; takes at least one tensor");
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* first, TensorInput(call, 0));
  PartialShape shape = first->shape();
  for (size_t i = 1; i < call.inputs.size(); ++i) {
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* input, TensorInput(call, i));
    // C2: inputs have one dtype and one shape.
    auto merged = shape.MergeWith(input->shape());
    if (input->dtype() != first->dtype() || !merged.ok()) {
      return InvalidArgument("C2 input ", i, " is `", call.inputs[i], "`; takes `",
                             TensorType(first->dtype(), shape), "`, as before it");
    }
    shape = *std::move(merged);
  }
  if (!shape.has_rank()) return OneOutput(TensorType(first->dtype(), {}));
  // C6: `ragged` is a bool; on tensors, where it is True, the call is expanded.
  SIGNET_RETURN_IF_ERROR(Labelled("C6", call.attributes.Bool("ragged").status()));
  // C3: `axis` is one of the dimensions of the result.
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", shape.rank() + 1, "C3"));
  PartialShape count = {static_cast<int64_t>(call.inputs.size())};
  PartialShape out =
      shape.Slice(0, axis).Concatenate(count).Concatenate(shape.Slice(axis, shape.rank()));
  SIGNET_RETURN_IF_ERROR(CheckOutputSize(out));
  return OneOutput(TensorType(first->dtype(), std::move(out)));
}

StatusOr<std::vector<GraphValue>> ExpandStack(OpBuilder& build, const OpCall& call,
                                              std::span<const GraphValue> inputs) {
  if (inputs.empty()) return InvalidArgument("C1 no inputs; takes at least one tensor");
  SIGNET_ASSIGN_OR_RETURN(int64_t axis, Labelled("C3", call.attributes.Int("axis")));
  SIGNET_ASSIGN_OR_RETURN(bool ragged, Labelled("C6", call.attributes.Bool("ragged")));
  if (inputs[0].spec && IsNest(inputs[0].spec)) return CallOnLeaves(build, call, inputs);
  return OneOutput(StackValues(build, inputs, axis, ragged));
}

}  // namespace

OpDef Stack() {
  return {
      .name = "stack",
      .summary = "Joins values along a new axis",
      .inputs = {"values..."},
      .attributes = {{"axis", AttributeOf(0)}, {"ragged", AttributeOf(false)}},
      .infer = InferStack,
      .expand = ExpandStack,
  };
}

}  // namespace signet
