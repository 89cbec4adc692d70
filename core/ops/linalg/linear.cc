// linear: multiplies matrices, adds a bias and a residual, and limits the result, as layers of
// neural networks do.

#include "core/ops/linalg/linear.h"

#include "core/ops/def/dtype_group.h"
#include "core/ops/def/inference.h"
#include "core/ops/linalg/linalg_ops.h"
#include "core/ops/linalg/matmul.h"

namespace signet {
namespace {

// Returns the value of attribute `name`, which is a number or None.
StatusOr<std::optional<float>> BoundOf(const OpCall& call, std::string_view name) {
  if (IsNone(call.attributes, name)) return std::nullopt;
  SIGNET_ASSIGN_OR_RETURN(double bound, call.attributes.Float(name));
  return static_cast<float>(bound);
}

StatusOr<std::vector<TypeSpec>> InferLinear(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(bool transpose_a, call.attributes.Bool("transpose_a"));
  SIGNET_ASSIGN_OR_RETURN(bool transpose_b, call.attributes.Bool("transpose_b"));
  for (size_t i = 0; i < 2; ++i) {
    // C1: the inputs are tensors. C2: they have dtype float32 or float64. C4: the matrices have
    // rank 2 or more.
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* matrix, TensorInput(call, i));
    if (matrix->dtype() != DType::kFloat32 && matrix->dtype() != DType::kFloat64) {
      return WithConstraint("C2",
                            InvalidArgument("input ", i, ": expected float32 or float64, found `",
                                            call.inputs[i], "`"));
    }
    if (matrix->shape().has_rank() && matrix->shape().rank() < 2) {
      return WithConstraint("C4", InvalidArgument("input ", i, ": expected rank 2 or more, found `",
                                                  call.inputs[i], "`"));
    }
  }
  // C3: the matrices have the same dtype. C5, C6: their shapes match.
  SIGNET_RETURN_IF_ERROR(CheckSameDType(call, 0, 1, "C3"));
  SIGNET_ASSIGN_OR_RETURN(PartialShape shape, MatmulShape(call, transpose_a, transpose_b));
  const DType dtype = call.inputs[0].As<TensorSpec>()->dtype();
  for (size_t i = 2; i < 4; ++i) {
    // C7: the bias is a vector of the same dtype with one element per column of the result. C8: the
    // residual has the dtype and the shape of the result.
    if (!HasInput(call, i)) continue;
    const char* label = i == 2 ? "C7" : "C8";
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* input, WithConstraint(label, TensorInput(call, i)));
    PartialShape wanted = shape;
    if (i == 2) wanted = PartialShape{shape.has_rank() ? shape.dim(shape.rank() - 1) : kUnknownDim};
    if (input->dtype() != dtype || !input->shape().IsCompatibleWith(wanted)) {
      return WithConstraint(
          label, InvalidArgument(i == 2 ? "bias" : "residual", ": expected `",
                                 TensorType(dtype, wanted), "`, found `", call.inputs[i], "`"));
    }
  }
  // C9: `low` and `high` are numbers or None.
  SIGNET_RETURN_IF_ERROR(WithConstraint("C9", ClipOf(call).status()));
  return OneOutput(TensorType(dtype, std::move(shape)));
}

}  // namespace

StatusOr<Clip> ClipOf(const OpCall& call) {
  Clip clip;
  SIGNET_ASSIGN_OR_RETURN(clip.low, BoundOf(call, "low"));
  SIGNET_ASSIGN_OR_RETURN(clip.high, BoundOf(call, "high"));
  return clip;
}

OpDef Linear() {
  return {
      .name = "linear",
      .summary = "Multiplies matrices, adds a bias and a residual, and limits the result",
      .description =
          "Computes `matmul`, adds a bias and a residual, and limits the result to `low` and "
          "`high`. None means no limit. A limit `low` of 0 is relu. A pass creates this op from "
          "these ops.",
      .inputs = {"a", "b", "bias?", "residual?"},
      .attributes = {{"transpose_a", AttributeOf(false)},
                     {"transpose_b", AttributeOf(false)},
                     {"low", NoneAttribute()},
                     {"high", NoneAttribute()}},
      .result = "A tensor with the type of the product.",
      .constraints = {"The inputs are tensors.", "The dtype is float32 or float64.",
                      "All inputs have the same dtype.", "The rank of a and b is at least 2.",
                      "The dimensions that are summed over are equal.",
                      "The batch dimensions broadcast.",
                      "The bias is a vector with one element per column of the result.",
                      "The residual has the type of the result.",
                      "`low` and `high` are numbers or None."},
      .infer = InferLinear,
      .internal = true,
  };
}

}  // namespace signet
