// layer_norm, rms_norm, local_response_norm: normalize elements by the elements around them.

#include "core/ops/def/inference.h"
#include "core/ops/nn/nn_ops.h"

namespace signet {
namespace {

// Returns the type of input 0. C1: it is a tensor. C2: its dtype is float32 or float64.
StatusOr<const TensorSpec*> FloatInput(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  if (x->dtype() == DType::kFloat32 || x->dtype() == DType::kFloat64) return x;
  return WithConstraint(
      "C2", InvalidArgument("input 0: expected float32 or float64, found `", call.inputs[0], "`"));
}

StatusOr<std::vector<TypeSpec>> InferRows(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, FloatInput(call));
  SIGNET_RETURN_IF_ERROR(call.attributes.Float("epsilon").status());
  // C3: `axis` is a dimension of the input.
  SIGNET_RETURN_IF_ERROR(WithConstraint("C3", call.attributes.Int("axis").status()));
  PartialShape row;
  if (x->shape().has_rank()) {
    SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", x->shape().rank(), "C3"));
    row = x->shape().Slice(axis, x->shape().rank());
  }
  // C4: scale and bias have the dtype of the input and the shape of a row.
  for (size_t i = 1; i < call.inputs.size(); ++i) {
    if (!HasInput(call, i)) continue;
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* given, TensorInput(call, i));
    if (given->dtype() == x->dtype() && given->shape().IsCompatibleWith(row)) continue;
    return WithConstraint("C4",
                          InvalidArgument("input ", i, ": expected `", TensorType(x->dtype(), row),
                                          "`, found `", call.inputs[i], "`"));
  }
  // C5: a bias is given only with a scale.
  if (HasInput(call, 2) && !HasInput(call, 1)) {
    return WithConstraint("C5", InvalidArgument("missing `scale`, which `bias` requires"));
  }
  return OneOutput(TensorType(x->dtype(), x->shape()));
}

StatusOr<std::vector<TypeSpec>> InferChannels(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, FloatInput(call));
  // C3: the input has dimension 1, the channels.
  if (x->shape().has_rank() && x->shape().rank() < 2) {
    return WithConstraint("C3", InvalidArgument("input 0: expected a rank of at least 2, found `",
                                                call.inputs[0], "`"));
  }
  // C4: `size` is at least 1; the others are numbers.
  SIGNET_ASSIGN_OR_RETURN(int64_t size, WithConstraint("C4", call.attributes.Int("size")));
  if (size < 1)
    return WithConstraint("C4",
                          InvalidArgument("attribute `size`: expected at least 1, found ", size));
  for (std::string_view name : {"alpha", "beta", "bias"}) {
    SIGNET_RETURN_IF_ERROR(WithConstraint("C4", call.attributes.Float(name).status()));
  }
  return OneOutput(TensorType(x->dtype(), x->shape()));
}

}  // namespace

std::vector<OpDef> NormalizationOps() {
  const std::vector<AttributeDef> rows = {{"axis", AttributeOf(-1)},
                                          {"epsilon", AttributeOf(1e-5)}};
  return {
      {.name = "layer_norm",
       .summary = "Normalizes rows to mean 0 and variance 1, with a scale and a bias",
       .description = "Normalizes each row, which consists of the dimensions from `axis` on: "
                      "subtracts the mean, divides by the square root of the variance plus "
                      "`epsilon`, multiplies by `scale`, and adds `bias`.",
       .inputs = {"x", "scale?", "bias?"},
       .attributes = rows,
       .result = "A tensor of the type of x.",
       .constraints = {"The inputs are tensors.", "The dtype is float32 or float64.",
                       "`axis` is a dimension of x.",
                       "`scale` and `bias` have the dtype of x and the shape of a row.",
                       "A bias is given only with a scale."},
       .infer = InferRows},
      {.name = "local_response_norm",
       .summary = "Normalizes elements by the squares of the channels around them",
       .description = "Returns x / (bias + alpha / size * s)^beta, where s is the sum of the "
                      "squares of the `size` channels around the element, in dimension 1.",
       .inputs = {"x"},
       .attributes = {{"size"},
                      {"alpha", AttributeOf(1e-4)},
                      {"beta", AttributeOf(0.75)},
                      {"bias", AttributeOf(1.0)}},
       .result = "A tensor of the type of x.",
       .constraints = {"The inputs are tensors.", "The dtype is float32 or float64.",
                       "The input has at least 2 dimensions.", "`size` is at least 1."},
       .infer = InferChannels},
      {.name = "rms_norm",
       .summary = "Normalizes rows by their root mean square, with a scale",
       .description =
           "Computes `layer_norm` without the subtraction of the mean and without a bias.",
       .inputs = {"x", "scale?"},
       .attributes = rows,
       .result = "A tensor of the type of x.",
       .constraints = {"The inputs are tensors.", "The dtype is float32 or float64.",
                       "`axis` is a dimension of x.",
                       "`scale` has the dtype of x and the shape of a row."},
       .infer = InferRows},
  };
}

}  // namespace signet
