// segment_softmax: computes the softmax within each row.

#include "core/ops/build/op_builder.h"
#include "core/ops/build/parts.h"
#include "core/ops/build/row_splits.h"
#include "core/ops/ragged/ragged_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferSegmentSoftmax(const OpCall& call) {
  // C1: input 1 is row splits.
  SIGNET_RETURN_IF_ERROR(CheckSegmentInputs(call));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* values, TensorInput(call, 0));
  SIGNET_RETURN_IF_ERROR(SplitsInput(call, 1).status());
  // C2: the values are floats of rank at least 1.
  if (!IsFloat(values->dtype()) || (values->shape().has_rank() && values->shape().rank() == 0)) {
    return WithConstraint("C2", InvalidArgument("input 0 of type `", call.inputs[0],
                                                "`: expected floats of rank at least 1"));
  }
  return OneOutput(call.inputs[0]);
}

StatusOr<std::vector<GraphValue>> ExpandSegmentSoftmax(OpBuilder& build, const OpCall& call,
                                                       std::span<const GraphValue> inputs) {
  if (inputs.size() == 2 && inputs[1].spec) return CheckSegmentInputs(call);
  SIGNET_ASSIGN_OR_RETURN(RaggedParts parts, PartsOfRows(inputs[0]));
  SIGNET_ASSIGN_OR_RETURN(parts.values,
                          build.CallOne(call.op.name, {parts.values, parts.splits.back()}));
  return OneOutput(MakeRaggedValue(parts, *inputs[0].spec.shape()));
}

}  // namespace

OpDef SegmentSoftmax() {
  return {
      .name = "segment_softmax",
      .summary = "Computes the softmax within each row",
      .description =
          "Computes the softmax of the values within each row. With one input, a ragged value, the "
          "op uses its innermost rows.",
      .inputs = {"values", "row_splits?"},
      .result = "A tensor with the type of the values.",
      .constraints = {"Input 1 is row splits.", "The values are floats of rank at least 1.",
                      "The row splits end at the number of values."},
      .composites =
          "With one input, a ragged value, the op uses its innermost rows, and the result has the "
          "same rows.",
      .infer = InferSegmentSoftmax,
      .expand = ExpandSegmentSoftmax,
      .own_dtypes = {"row_splits"},
  };
}

}  // namespace signet
