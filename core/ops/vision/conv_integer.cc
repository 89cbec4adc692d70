// conv_integer: computes a convolution of 8-bit integers minus their zero points.

#include "core/ops/def/inference.h"
#include "core/ops/vision/conv.h"
#include "core/ops/vision/vision_ops.h"

namespace signet {
namespace {

bool IsByte(DType dtype) { return dtype == DType::kInt8 || dtype == DType::kUInt8; }

// C4: a zero point has the dtype of its tensor. It is one number or, for w, one number per channel
// of the result.
Status CheckZeroPoint(const OpCall& call, size_t i, size_t tensor, int64_t channels) {
  if (!HasInput(call, i)) return absl::OkStatus();
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* zero, TensorInput(call, i));
  const PartialShape& shape = zero->shape();
  bool fits = zero->dtype() == call.inputs[tensor].As<TensorSpec>()->dtype() &&
              (shape.IsCompatibleWith(Shape{}) || shape.IsCompatibleWith({1}) ||
               (tensor == 1 && shape.IsCompatibleWith({channels})));
  if (fits) return absl::OkStatus();
  return WithConstraint(
      "C4", InvalidArgument("input ", i, ": expected one number",
                            tensor == 1 ? ", or a vector with one number per channel," : "",
                            " of the dtype of `", call.inputs[tensor], "`, found `", call.inputs[i],
                            "`"));
}

// C1: x and w are int8 or uint8, and have the same rank, 3 to 5.
StatusOr<const TensorSpec*> ByteInput(const OpCall& call, size_t i) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* input, TensorInput(call, i));
  if (IsByte(input->dtype())) return input;
  return WithConstraint(
      "C1", InvalidArgument("input ", i, ": expected int8 or uint8, found `", call.inputs[i], "`"));
}

StatusOr<std::vector<TypeSpec>> InferConvInteger(const OpCall& call) {
  SIGNET_RETURN_IF_ERROR(ByteInput(call, 0).status());
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* w, ByteInput(call, 1));
  // C3: `groups` divides the channels.
  SIGNET_ASSIGN_OR_RETURN(int64_t groups, WithConstraint("C3", call.attributes.Int("groups")));
  if (groups < 1)
    return WithConstraint("C3", InvalidArgument("groups: expected at least 1, found ", groups));
  int64_t channels =
      w->shape().has_rank() && w->shape().rank() > 0 ? w->shape().dim(0) : kUnknownDim;
  SIGNET_RETURN_IF_ERROR(CheckZeroPoint(call, 2, 0, 1));
  SIGNET_RETURN_IF_ERROR(CheckZeroPoint(call, 3, 1, channels));
  const PartialShape* bias = nullptr;
  if (HasInput(call, 4)) {
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* given, TensorInput(call, 4));
    if (given->dtype() != DType::kInt32) {
      return WithConstraint(
          "C4", InvalidArgument("input 4: expected int32, found `", call.inputs[4], "`"));
    }
    bias = &given->shape();
  }
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, ImageInput(call, 0, IsByte, "int8 or uint8"));
  SIGNET_RETURN_IF_ERROR(ImageInput(call, 1, IsByte, "int8 or uint8").status());
  if (x->shape().rank() != w->shape().rank()) {
    return WithConstraint("C1", InvalidArgument("input 1: expected the rank of input 0, `",
                                                call.inputs[0], "`, found `", call.inputs[1], "`"));
  }
  // C5: the window fits. C8: the result has at most 2^31 elements.
  SIGNET_ASSIGN_OR_RETURN(Window window, WindowOf(call, KernelOf(w->shape()), "C5"));
  SIGNET_ASSIGN_OR_RETURN(PartialShape shape,
                          ConvShape(x->shape(), w->shape(), bias, nullptr, groups, window));
  return OneOutput(TensorType(DType::kInt32, std::move(shape)));
}

}  // namespace

OpDef ConvInteger() {
  OpDef op{
      .name = "conv_integer",
      .summary = "Computes a convolution of 8-bit integers",
      .description =
          "Computes the convolution of `x - x_zero_point` with `w - w_zero_point` as `conv` does, "
          "and adds the bias. The result is int32, and sums that exceed int32 wrap around. Padding "
          "counts as the zero point.",
      .inputs = {"x", "w", "x_zero_point?", "w_zero_point?", "bias?"},
      .attributes = WindowAttributes(),
      .result = "A tensor of int32.",
      .constraints =
          {"x and w are int8 or uint8 and have the same rank, 3 to 5.", "",
           "`groups` divides the channels of the result, and w has the channels of one group.",
           "A zero point has the dtype of its tensor. It is one number, or, for w, one number per "
           "channel of the result. The bias is int32, with one number per channel of the result.",
           "The window fits, as for `conv`.", "", "", "The result has at most 2^31 elements."},
      .infer = InferConvInteger,
      .own_dtypes = {"bias"},
  };
  op.attributes.push_back({"groups", AttributeOf(1)});
  return op;
}

}  // namespace signet
