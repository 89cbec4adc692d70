// softmax, log_softmax: compute the softmax along an axis, and its logarithm.

#include "core/ops/build/rows/ragged_axis.h"
#include "core/ops/def/dtype_group.h"
#include "core/ops/def/inference.h"
#include "core/ops/nn/nn_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferSoftmax(const OpCall& call) {
  // C1: the input is a tensor. C2: it has a float dtype.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInputOf(call, 0, DTypeGroup::kFloat));
  // C3: `axis` is a dimension of the input.
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", call.attributes.Int("axis").status()));
  if (x->shape().has_rank()) {
    SIGNET_RETURN_IF_ERROR(AxisAttribute(call, "axis", x->shape().rank(), "C3").status());
  }
  return OneOutput(TensorType(x->dtype(), x->shape()));
}

// Adds the fields that both ops share.
OpDef MakeSoftmax(OpDef op) {
  op.inputs = {"x"};
  op.attributes = {{"axis", AttributeOf(-1)}};
  op.infer = InferSoftmax;
  op.expand = ExpandAlongRows;
  return op;
}

}  // namespace

OpDef LogSoftmax() {
  return MakeSoftmax({
      .name = "log_softmax",
      .summary = "Computes the logarithm of the softmax along an axis",
      .description = "Computes the logarithm of `softmax`. It is also exact for results of "
                     "`softmax` close to 0.",
      .result = "A value of the type of x.",
      .constraints = {"The input is a tensor or a ragged value.", "The dtype is a float dtype.",
                      "`axis` is a dimension of x."},
      .composites =
          "On a ragged value, the op works within each row. Along an outer axis, it works on the "
          "elements at each position of the rows; it skips rows that are too short.",
  });
}

OpDef Softmax() {
  return MakeSoftmax({
      .name = "softmax",
      .summary = "Computes the softmax along an axis",
      .description =
          "Divides exp(x) by its sum along the axis, without overflow. All results along the axis "
          "are NaN if an element is NaN or inf, or if all elements are -inf.",
      .result = "A value of the type of x.",
      .constraints = {"The input is a tensor or a ragged value.", "The dtype is a float dtype.",
                      "`axis` is a dimension of x."},
      .composites =
          "On a ragged value, the op works within each row. Along an outer axis, it works on the "
          "elements at each position of the rows; it skips rows that are too short.",
  });
}

}  // namespace signet
