// conv, conv_transpose: compute weighted sums over windows.

#include "core/ops/vision/conv.h"

#include <limits>

#include "core/base/checked_math.h"
#include "core/ops/def/inference.h"
#include "core/ops/def/late_inference.h"
#include "core/ops/vision/vision_ops.h"

namespace signet {
namespace {

bool IsConvolved(DType dtype) { return IsFloat(dtype) || dtype == DType::kInt32; }
constexpr std::string_view kConvolved = "a float dtype or int32";

// The types of x and w, which have the same dtype and rank.
struct ConvOperands {
  const TensorSpec* x;
  const TensorSpec* w;
};
StatusOr<ConvOperands> OperandsOf(const OpCall& call) {
  // C1: x has a float dtype or int32, and rank 3 to 5. C2: the other inputs have the dtype of x,
  // and w has its rank.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, ImageInput(call, 0, IsConvolved, kConvolved));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* w, TensorInput(call, 1));
  for (size_t i = 1; i < call.inputs.size(); ++i) {
    if (!HasInput(call, i)) continue;
    SIGNET_ASSIGN_OR_RETURN(const TensorSpec* input, TensorInput(call, i));
    if (input->dtype() != x->dtype()) {
      return WithConstraint(
          "C2", InvalidArgument("input ", i, ": expected the dtype of input 0, `", call.inputs[0],
                                "`, found `", call.inputs[i], "`"));
    }
  }
  if (!w->shape().has_rank() || w->shape().rank() != x->shape().rank()) {
    return WithConstraint("C2", InvalidArgument("input 1: expected the rank of input 0, `",
                                                call.inputs[0], "`, found `", call.inputs[1], "`"));
  }
  return ConvOperands{x, w};
}

const PartialShape* ShapeAt(const OpCall& call, size_t i) {
  return HasInput(call, i) ? call.inputs[i].shape() : nullptr;
}

bool Differ(int64_t a, int64_t b) { return a != b && a != kUnknownDim && b != kUnknownDim; }

Status CheckBias(const PartialShape* bias, int64_t channels) {
  // C4: the bias is a vector with one element per channel of the result.
  if (bias == nullptr || bias->IsCompatibleWith(PartialShape{channels})) return absl::OkStatus();
  return WithConstraint("C4", InvalidArgument("bias: expected one element for each of ", channels,
                                              " channels, found shape `", *bias, "`"));
}

StatusOr<int64_t> GroupsOf(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(int64_t groups, WithConstraint("C3", call.attributes.Int("groups")));
  if (groups < 1)
    return WithConstraint("C3", InvalidArgument("groups: expected at least 1, found ", groups));
  return groups;
}

StatusOr<std::vector<TypeSpec>> InferConv(const OpCall& call) {
  if (!KnowsRanks(call)) return LateOutput(call);
  SIGNET_ASSIGN_OR_RETURN(ConvOperands operands, OperandsOf(call));
  SIGNET_ASSIGN_OR_RETURN(int64_t groups, GroupsOf(call));
  SIGNET_ASSIGN_OR_RETURN(Window window, WindowOf(call, KernelOf(operands.w->shape()), "C5"));
  // C7: the activation is one of the supported activations, and `none` for int32.
  SIGNET_ASSIGN_OR_RETURN(Activation activation, WithConstraint("C7", ActivationOf(call)));
  if (operands.x->dtype() == DType::kInt32 && activation.kind != ActivationKind::kNone) {
    return WithConstraint("C7", InvalidArgument("activation: expected `none` for `", call.inputs[0],
                                                "`; other activations require a float dtype"));
  }
  SIGNET_ASSIGN_OR_RETURN(PartialShape shape,
                          ConvShape(operands.x->shape(), operands.w->shape(), ShapeAt(call, 2),
                                    ShapeAt(call, 3), groups, window));
  return OneOutput(TensorType(operands.x->dtype(), std::move(shape)));
}

StatusOr<std::vector<TypeSpec>> InferConvTranspose(const OpCall& call) {
  if (!KnowsRanks(call)) return LateOutput(call);
  SIGNET_ASSIGN_OR_RETURN(ConvOperands operands, OperandsOf(call));
  SIGNET_ASSIGN_OR_RETURN(int64_t groups, GroupsOf(call));
  SIGNET_ASSIGN_OR_RETURN(auto window, TransposedWindowOf(call, KernelOf(operands.w->shape())));
  SIGNET_ASSIGN_OR_RETURN(PartialShape shape,
                          ConvTransposeShape(operands.x->shape(), operands.w->shape(),
                                             ShapeAt(call, 2), groups, window));
  return OneOutput(TensorType(operands.x->dtype(), std::move(shape)));
}

}  // namespace

std::vector<int64_t> KernelOf(const PartialShape& w) {
  return {w.dims().begin() + 2, w.dims().end()};
}

std::vector<AttributeDef> ActivationAttributes() {
  return {
      {"activation", AttributeOf("none")}, {"alpha", NoneAttribute()}, {"beta", NoneAttribute()}};
}

StatusOr<Activation> ActivationOf(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(std::string name, call.attributes.String("activation"));
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  using Kind = ActivationKind;
  struct Row {
    std::string_view name;
    Activation with;  // the values of `alpha` and `beta` if they are None
  };
  constexpr Row kRows[] = {
      {"none", {}},
      {"relu", {Kind::kClip, 0, kInfinity}},
      {"relu6", {Kind::kClip, 0, 6}},
      {"clip", {Kind::kClip, -kInfinity, kInfinity}},
      {"leaky_relu", {Kind::kLeakyRelu, 0.01F, 0}},
      {"hard_sigmoid", {Kind::kHardSigmoid, 0.2F, 0.5F}},
      {"hard_swish", {Kind::kHardSwish, 1.0F / 6, 0.5F}},
      {"sigmoid", {Kind::kSigmoid}},
      {"tanh", {Kind::kTanh}},
      {"gelu", {Kind::kGelu}},
      {"silu", {Kind::kSilu}},
  };
  for (const Row& row : kRows) {
    if (row.name != name) continue;
    Activation activation = row.with;
    if (!IsNone(call.attributes, "alpha")) {
      SIGNET_ASSIGN_OR_RETURN(double alpha, call.attributes.Float("alpha"));
      activation.alpha = static_cast<float>(alpha);
    }
    if (!IsNone(call.attributes, "beta")) {
      SIGNET_ASSIGN_OR_RETURN(double beta, call.attributes.Float("beta"));
      activation.beta = static_cast<float>(beta);
    }
    return activation;
  }
  return InvalidArgument("unsupported activation `", Printable(name),
                         "`; supported: clip, gelu, hard_sigmoid, hard_swish, leaky_relu, none, "
                         "relu, relu6, sigmoid, silu, tanh");
}

StatusOr<PartialShape> ConvShape(const PartialShape& x, const PartialShape& w,
                                 const PartialShape* bias, const PartialShape* residual,
                                 int64_t groups, const Window& window) {
  int64_t channels = w.dim(0);
  // C3: `groups` divides the channels, and w has the channels of one group.
  bool divides = channels == kUnknownDim || channels % groups == 0;
  auto expected =
      w.dim(1) == kUnknownDim ? kUnknownDim : CheckedMultiply(w.dim(1), groups).value_or(-2);
  if (!divides || Differ(x.dim(1), expected)) {
    return WithConstraint(
        "C3", InvalidArgument("weights: expected shape [out, channels / groups, ...], with `out` "
                              "divisible by groups, "
                              "found `",
                              w, "` for input 0 of shape `", x, "` and groups ", groups));
  }
  SIGNET_RETURN_IF_ERROR(CheckBias(bias, channels));
  // C5: the window fits.
  SIGNET_ASSIGN_OR_RETURN(PartialShape spatial,
                          WithConstraint("C5", window.Over(x.Slice(2, x.rank()))));
  PartialShape out = PartialShape{x.dim(0), channels}.Concatenate(spatial);
  // C6: the residual has the shape of the result.
  if (residual != nullptr) {
    if (!residual->IsCompatibleWith(out)) {
      return WithConstraint("C6", InvalidArgument("residual: expected the shape of the result, `",
                                                  out, "`, found `", *residual, "`"));
    }
    SIGNET_ASSIGN_OR_RETURN(out, out.MergeWith(*residual));
  }
  // C8: the result has at most 2^31 elements.
  SIGNET_RETURN_IF_ERROR(WithConstraint("C8", CheckOutputSize(out)));
  return out;
}

StatusOr<TransposedWindow> TransposedWindowOf(const OpCall& call, std::vector<int64_t> kernel) {
  size_t rank = kernel.size();
  TransposedWindow out;
  SIGNET_ASSIGN_OR_RETURN(out.window, WindowOf(call, std::move(kernel), "C5"));
  SIGNET_ASSIGN_OR_RETURN(out.output_padding,
                          WithConstraint("C5", SpatialInts(call, "output_padding", rank, 0, 0)));
  if (!IsNone(call.attributes, "output_shape")) {
    SIGNET_ASSIGN_OR_RETURN(out.output_shape,
                            WithConstraint("C5", SpatialInts(call, "output_shape", rank, 0, 0)));
  }
  return out;
}

StatusOr<WindowAxis> TransposedWindow::Along(int axis, int64_t input_size) const {
  auto i = static_cast<size_t>(axis);
  WindowAxis out{.kernel = window.kernel[i],
                 .stride = window.strides[i],
                 .dilation = window.dilations[i],
                 .before = window.before[i],
                 .after = window.after[i],
                 .out = input_size};
  auto span = CheckedMultiply(out.stride, input_size - 1);
  auto reach = CheckedMultiply(out.kernel - 1, out.dilation);
  auto whole = span && reach ? CheckedAdd(*span, *reach) : std::nullopt;
  if (!whole || *whole >= (int64_t{1} << 40)) {
    return ResourceExhausted("spatial dimension ", axis,
                             " of the result exceeds the limit of 2^40 elements");
  }
  int64_t full = *whole + 1 + output_padding[i];
  bool same = window.auto_pad == AutoPad::kSameUpper || window.auto_pad == AutoPad::kSameLower;
  if (!same && output_shape.empty()) {
    if (window.auto_pad == AutoPad::kValid) out.before = out.after = 0;
    out.size = full - out.before - out.after;
  } else {
    out.size = output_shape.empty() ? input_size * out.stride : output_shape[i];
    // The number of elements that are cut off depends on the size, and is at least 0.
    int64_t cut = std::max<int64_t>(0, full - out.size);
    out.before = window.auto_pad == AutoPad::kSameUpper ? cut / 2 : cut - cut / 2;
    out.after = cut - out.before;
  }
  if (input_size > 0 && out.size >= 0) return out;
  if (input_size == 0) {
    out.size = std::max<int64_t>(out.size, 0);
    return out;
  }
  return InvalidArgument("spatial dimension ", axis, " of the result: expected at least ",
                         out.before + out.after, " elements, which are cut off, found ", full);
}

StatusOr<PartialShape> ConvTransposeShape(const PartialShape& x, const PartialShape& w,
                                          const PartialShape* bias, int64_t groups,
                                          const TransposedWindow& window) {
  // C3: `groups` divides the channels of x, which are the first dimension of w.
  bool divides = w.dim(0) == kUnknownDim || w.dim(0) % groups == 0;
  if (!divides || Differ(x.dim(1), w.dim(0))) {
    return WithConstraint(
        "C3",
        InvalidArgument(
            "weights: expected shape [channels, out / groups, ...], with `channels` divisible by "
            "groups, found `",
            w, "` for input 0 of shape `", x, "` and groups ", groups));
  }
  int64_t channels = kUnknownDim;
  if (w.dim(1) != kUnknownDim) {
    auto product = CheckedMultiply(w.dim(1), groups);
    if (!product)
      return WithConstraint(
          "C8",
          ResourceExhausted("the number of channels of the result exceeds the range of int64"));
    channels = *product;
  }
  SIGNET_RETURN_IF_ERROR(CheckBias(bias, channels));
  PartialShape spatial = PartialShape::OfRank(x.rank() - 2);
  for (int axis = 0; axis + 2 < x.rank(); ++axis) {
    if (x.dim(axis + 2) == kUnknownDim || w.dim(axis + 2) == kUnknownDim) continue;
    SIGNET_ASSIGN_OR_RETURN(WindowAxis along,
                            WithConstraint("C5", window.Along(axis, x.dim(axis + 2))));
    spatial = spatial.WithDim(axis, along.size);
  }
  PartialShape out = PartialShape{x.dim(0), channels}.Concatenate(spatial);
  SIGNET_RETURN_IF_ERROR(WithConstraint("C8", CheckOutputSize(out)));
  return out;
}

OpDef Conv() {
  OpDef op{
      .name = "conv",
      .summary = "Computes a convolution",
      .description =
          Cat("Computes, for each window of x, the sum of its elements times the weights `[out, "
              "channels / groups, window...]`. ",
              kWindowDescription,
              " Padding counts as 0. Then the bias and the residual are added, and the activation "
              "is applied: `none`, `relu`, `relu6`, `clip` (to alpha and beta), `leaky_relu` "
              "(alpha, 0.01), `hard_sigmoid` (alpha * x + beta, limited to 0 to 1; 0.2 and 0.5), "
              "`hard_swish` (x times `hard_sigmoid` with 1/6 and 0.5), `sigmoid`, `tanh`, `gelu`, "
              "or `silu`. Weights that are constants are packed once."),
      .inputs = {"x", "w", "bias?", "residual?"},
      .attributes = WindowAttributes(),
      .result = "A tensor `[batch, out, positions...]` of the dtype of x.",
      .constraints = {"x has a float dtype or int32, and a rank of 3 to 5.",
                      "The other inputs have the dtype of x, and the weights have its rank.",
                      "`groups` divides the channels of x and of the result.",
                      "The bias is a vector with one element per channel of the result.",
                      "The window fits, and its attributes have one integer per spatial dimension.",
                      "The residual has the shape of the result.",
                      "The activation is one of the list, and is `none` for int32.",
                      "The result has at most 2^31 elements."},
      .infer = InferConv,
  };
  op.attributes.push_back({"groups", AttributeOf(1)});
  for (AttributeDef& attribute : ActivationAttributes()) op.attributes.push_back(attribute);
  return op;
}

OpDef ConvTranspose() {
  OpDef op{
      .name = "conv_transpose",
      .summary = "Computes a transposed convolution",
      .description =
          Cat("Adds each element times the weights `[channels, out / groups, window...]` to a "
              "window of the result. ",
              kWindowDescription,
              " The result is cut at both ends by `pads`. `output_padding` is added at its end. "
              "`output_shape` states the spatial sizes of the result instead of `pads`."),
      .inputs = {"x", "w", "bias?"},
      .attributes = WindowAttributes(),
      .result = "A tensor `[batch, out, positions...]` of the dtype of x.",
      .constraints =
          {"x has a float dtype or int32, and a rank of 3 to 5.",
           "The other inputs have the dtype of x, and the weights have its rank.",
           "`groups` divides the channels of x, which are the first dimension of the weights.",
           "The bias is a vector with one element per channel of the result.",
           "The attributes have one integer per spatial dimension, and `pads` do not cut off more "
           "elements than the result has.",
           "", "", "The result has at most 2^31 elements."},
      .infer = InferConvTranspose,
  };
  op.attributes.push_back({"groups", AttributeOf(1)});
  op.attributes.push_back({"output_padding", NoneAttribute()});
  op.attributes.push_back({"output_shape", NoneAttribute()});
  return op;
}

}  // namespace signet
