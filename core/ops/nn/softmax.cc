// softmax, log_softmax: shares that add up to 1 along an axis, and their logarithms. The
// constraints are those of docs/reference/ops.md.

#include "core/ops/build/rows/ragged_axis.h"
#include "core/ops/def/dtype_group.h"
#include "core/ops/def/inference.h"
#include "core/ops/nn/nn_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferSoftmax(const OpCall& call) {
  // C1: the input is a tensor. C2: of a float dtype.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInputOf(call, 0, DTypeGroup::kFloat));
  // C3: `axis` is one of the input's.
  SIGNET_RETURN_IF_ERROR(Labelled("C3", call.attributes.Int("axis").status()));
  if (x->shape().has_rank()) {
    SIGNET_RETURN_IF_ERROR(AxisAttribute(call, "axis", x->shape().rank(), "C3").status());
  }
  return OneOutput(TensorType(x->dtype(), x->shape()));
}

OpDef Make(std::string name, std::string summary) {
  return {
      .name = std::move(name),
      .summary = std::move(summary),
      .inputs = {"x"},
      .attributes = {{"axis", AttributeOf(-1)}},
      .infer = InferSoftmax,
      .expand = ExpandAlongRows,
  };
}

}  // namespace

OpDef LogSoftmax() { return Make("log_softmax", "Takes the logarithm of softmax"); }
OpDef Softmax() { return Make("softmax", "Makes shares of exp(x) that add up to 1 along an axis"); }

}  // namespace signet
