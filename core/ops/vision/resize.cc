// resize: changes the size of an image by interpolation.

#include "core/ops/vision/resize.h"

#include <algorithm>
#include <cmath>

#include "core/ops/def/inference.h"
#include "core/ops/def/late_inference.h"
#include "core/ops/vision/vision_ops.h"

namespace signet {
namespace {

template <class E, size_t n>
StatusOr<E> OneOf(const OpCall& call, std::string_view attribute,
                  const std::pair<std::string_view, E> (&names)[n]) {
  SIGNET_ASSIGN_OR_RETURN(std::string name, call.attributes.String(attribute));
  std::string known;
  for (const auto& [text, value] : names) {
    if (text == name) return value;
    known += Cat(known.empty() ? "" : ", ", text);
  }
  return WithConstraint("C3", InvalidArgument("unsupported ", attribute, " `", Printable(name),
                                              "`; supported: ", known));
}

// Checks that input `i` is a vector with one element for each of `length` axes.
Status CheckVector(const OpCall& call, size_t i, int64_t length, bool ints) {
  if (!HasInput(call, i)) return absl::OkStatus();
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* input, TensorInput(call, i));
  bool fits = ints ? input->dtype() == DType::kInt64 : IsFloat(input->dtype());
  if (fits && input->shape().IsCompatibleWith(PartialShape{length})) return absl::OkStatus();
  return WithConstraint(
      "C2", InvalidArgument("input ", i, ": expected a vector of ", length,
                            ints ? " int64" : " floats", ", found `", call.inputs[i], "`"));
}

StatusOr<std::vector<TypeSpec>> InferResize(const OpCall& call) {
  if (!KnowsRanks(call)) return LateOutput(call);
  // C1: x is a tensor of numbers.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  if (!IsFloat(x->dtype()) && !IsInteger(x->dtype()) && x->dtype() != DType::kBool) {
    return WithConstraint(
        "C1", InvalidArgument("input 0: expected a float, integer or bool dtype, found `",
                              call.inputs[0], "`"));
  }
  SIGNET_ASSIGN_OR_RETURN(ResizePlan plan, ResizePlanOf(call, x->shape().rank()));
  // C2: either the scales or the sizes are given, with one element per axis. The region of interest
  // has two elements per axis.
  bool scales = HasInput(call, 1);
  if (scales == HasInput(call, 2)) {
    return WithConstraint("C2", InvalidArgument("expected either scales or sizes, found ",
                                                scales ? "both" : "neither"));
  }
  auto length = static_cast<int64_t>(plan.axes.size());
  SIGNET_RETURN_IF_ERROR(CheckVector(call, 1, length, false));
  SIGNET_RETURN_IF_ERROR(CheckVector(call, 2, length, true));
  SIGNET_RETURN_IF_ERROR(CheckVector(call, 3, 2 * length, false));
  bool needs_roi = plan.coordinates == Coordinates::kCropAndResize;
  if (needs_roi && !HasInput(call, 3)) {
    return WithConstraint(
        "C2", InvalidArgument("missing input 3, `roi`, which `tf_crop_and_resize` requires"));
  }
  if (plan.mode != ResizeMode::kNearest && x->dtype() == DType::kBool) {
    return WithConstraint(
        "C1", InvalidArgument("input 0: expected a float or integer dtype, found `", call.inputs[0],
                              "`"));
  }
  PartialShape out = x->shape();
  const Tensor* known = call.constant(scales ? 1 : 2);
  for (size_t i = 0; i < plan.axes.size(); ++i) {
    out = out.WithDim(plan.axes[i], kUnknownDim);
  }
  if (known != nullptr && x->shape().IsFullyDefined()) {
    SIGNET_ASSIGN_OR_RETURN(auto axes, plan.Along(x->shape().ToShape(), scales ? known : nullptr,
                                                  scales ? nullptr : known, nullptr));
    for (size_t i = 0; i < axes.size(); ++i) out = out.WithDim(plan.axes[i], axes[i].out);
  } else if (known != nullptr) {
    // Sizes of single axes that do not depend on unknown dimensions.
    for (size_t i = 0; i < plan.axes.size(); ++i) {
      int64_t size = x->shape().dim(plan.axes[i]);
      if (!scales && plan.policy == AspectPolicy::kStretch) {
        out = out.WithDim(plan.axes[i], known->elements<int64_t>()[i]);
      } else if (scales && known->dtype() == DType::kFloat32) {
        float scale = known->elements<float>()[i];
        if (scale == 1 || (size != kUnknownDim && scale > 0 && scale < 1e6F)) {
          out = out.WithDim(plan.axes[i], size == kUnknownDim
                                              ? size
                                              : ScaledSize(size, static_cast<double>(scale)));
        }
      }
    }
  }
  SIGNET_RETURN_IF_ERROR(WithConstraint("C4", CheckOutputSize(out)));
  return OneOutput(TensorType(x->dtype(), std::move(out)));
}

}  // namespace

int64_t ScaledSize(int64_t size, double scale) {
  return static_cast<int64_t>(std::floor(static_cast<float>(scale) * static_cast<float>(size)));
}

StatusOr<ResizePlan> ResizePlanOf(const OpCall& call, int rank) {
  ResizePlan plan;
  // C3: the attributes have supported values, and `axes` has distinct dimensions of x.
  SIGNET_ASSIGN_OR_RETURN(plan.mode, (OneOf<ResizeMode, 3>(call, "mode",
                                                           {{"nearest", ResizeMode::kNearest},
                                                            {"linear", ResizeMode::kLinear},
                                                            {"cubic", ResizeMode::kCubic}})));
  SIGNET_ASSIGN_OR_RETURN(
      plan.coordinates,
      (OneOf<Coordinates, 7>(call, "coordinates",
                             {{"half_pixel", Coordinates::kHalfPixel},
                              {"half_pixel_symmetric", Coordinates::kHalfPixelSymmetric},
                              {"pytorch_half_pixel", Coordinates::kPytorchHalfPixel},
                              {"align_corners", Coordinates::kAlignCorners},
                              {"asymmetric", Coordinates::kAsymmetric},
                              {"tf_half_pixel_for_nn", Coordinates::kTfHalfPixel},
                              {"tf_crop_and_resize", Coordinates::kCropAndResize}})));
  SIGNET_ASSIGN_OR_RETURN(plan.nearest,
                          (OneOf<NearestMode, 5>(call, "nearest",
                                                 {{"round_prefer_floor", NearestMode::kPreferFloor},
                                                  {"round_prefer_ceil", NearestMode::kPreferCeil},
                                                  {"floor", NearestMode::kFloor},
                                                  {"ceil", NearestMode::kCeil},
                                                  {"simple", NearestMode::kSimple}})));
  SIGNET_ASSIGN_OR_RETURN(plan.policy,
                          (OneOf<AspectPolicy, 3>(call, "keep_aspect_ratio_policy",
                                                  {{"stretch", AspectPolicy::kStretch},
                                                   {"not_larger", AspectPolicy::kNotLarger},
                                                   {"not_smaller", AspectPolicy::kNotSmaller}})));
  SIGNET_ASSIGN_OR_RETURN(double cubic,
                          WithConstraint("C3", call.attributes.Float("cubic_coeff_a")));
  plan.cubic = static_cast<float>(cubic);
  SIGNET_ASSIGN_OR_RETURN(double outside,
                          WithConstraint("C3", call.attributes.Float("extrapolation_value")));
  plan.outside = static_cast<float>(outside);
  SIGNET_ASSIGN_OR_RETURN(plan.exclude_outside,
                          WithConstraint("C3", call.attributes.Bool("exclude_outside")));
  SIGNET_ASSIGN_OR_RETURN(plan.antialias, WithConstraint("C3", call.attributes.Bool("antialias")));
  SIGNET_ASSIGN_OR_RETURN(auto axes, WithConstraint("C3", OptionalInts(call.attributes, "axes")));
  if (!axes) {
    for (int axis = 0; axis < rank; ++axis) plan.axes.push_back(axis);
    return plan;
  }
  for (int64_t axis : *axes) {
    SIGNET_ASSIGN_OR_RETURN(int normal, WithConstraint("C3", NormalizeAxis(axis, rank)));
    if (std::find(plan.axes.begin(), plan.axes.end(), normal) != plan.axes.end()) {
      return WithConstraint("C3", InvalidArgument("axes: duplicate axis ", axis));
    }
    plan.axes.push_back(normal);
  }
  return plan;
}

namespace {

// Returns the elements of a float tensor as float32.
std::vector<float> FloatsOf(const Tensor& tensor) {
  std::vector<float> out;
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    auto at = static_cast<size_t>(i);
    switch (tensor.dtype()) {
      case DType::kFloat64:
        out.push_back(static_cast<float>(tensor.elements<double>()[at]));
        break;
      case DType::kFloat16:
        out.push_back(ToFloat(tensor.elements<Float16>()[at]));
        break;
      case DType::kBFloat16:
        out.push_back(ToFloat(tensor.elements<BFloat16>()[at]));
        break;
      default:
        out.push_back(tensor.elements<float>()[at]);
    }
  }
  return out;
}

}  // namespace

StatusOr<std::vector<ResizeAxis>> ResizePlan::Along(const Shape& shape, const Tensor* scales,
                                                    const Tensor* sizes, const Tensor* roi) const {
  std::vector<ResizeAxis> out(axes.size());
  auto given = static_cast<int64_t>(axes.size());
  if ((scales != nullptr ? scales : sizes)->num_elements() != given) {
    return WithConstraint("C2",
                          InvalidArgument("expected ", given, " scales or sizes, found ",
                                          (scales != nullptr ? scales : sizes)->num_elements()));
  }
  if (roi != nullptr && roi->num_elements() != 2 * given) {
    return WithConstraint("C2", InvalidArgument("roi: expected ", 2 * given, " elements, found ",
                                                roi->num_elements()));
  }
  std::vector<float> factors = scales != nullptr ? FloatsOf(*scales) : std::vector<float>();
  std::vector<float> region = roi != nullptr ? FloatsOf(*roi) : std::vector<float>();
  float common = 0;  // the common scale of all axes
  for (size_t i = 0; i < axes.size(); ++i) {
    ResizeAxis& axis = out[i];
    axis.axis = axes[i];
    axis.size = shape.dim(axes[i]);
    if (roi != nullptr) {
      axis.begin = region[i];
      axis.end = region[axes.size() + i];
    }
    if (scales != nullptr) {
      axis.scale = factors[i];
      if (!(axis.scale > 0) || !(axis.scale * static_cast<float>(axis.size) < 0x1p31F)) {
        return WithConstraint(
            "C2",
            InvalidArgument(
                "scale: expected a number greater than 0 and a result of fewer than 2^31 elements, "
                "found ",
                axis.scale, " for ", axis.size, " elements"));
      }
      axis.out = ScaledSize(axis.size, static_cast<double>(axis.scale));
      continue;
    }
    axis.out = sizes->elements<int64_t>()[i];
    if (axis.out < 0 || axis.out >= (int64_t{1} << 31)) {
      return WithConstraint(
          "C2", InvalidArgument("size: expected at least 0 and less than 2^31, found ", axis.out));
    }
    axis.scale = axis.size == 0 ? 1 : static_cast<float>(axis.out) / static_cast<float>(axis.size);
    bool less = policy == AspectPolicy::kNotLarger ? axis.scale < common : axis.scale > common;
    if (i == 0 || less) common = axis.scale;
  }
  for (ResizeAxis& axis : out) {
    if (sizes != nullptr && policy != AspectPolicy::kStretch) {
      axis.scale = common;
      axis.out = static_cast<int64_t>(std::round(common * static_cast<float>(axis.size)));
    }
    if (axis.size == 0 && axis.out > 0) {
      return WithConstraint(
          "C2", InvalidArgument("dimension ", axis.axis,
                                ": expected size 0, because the input is empty, found ", axis.out));
    }
  }
  return out;
}

OpDef Resize() {
  return {
      .name = "resize",
      .summary = "Resizes a tensor by interpolation",
      .description =
          "Resizes x, which may have any rank, as the operator Resize of ONNX does. `mode` is "
          "`nearest`, `linear`, or `cubic`. `coordinates` is `half_pixel`, `half_pixel_symmetric`, "
          "`pytorch_half_pixel`, `align_corners`, `asymmetric`, `tf_half_pixel_for_nn`, or "
          "`tf_crop_and_resize`. `nearest` is `round_prefer_floor`, `round_prefer_ceil`, `floor`, "
          "`ceil`, or `simple` (floor for larger and ceil for smaller results). "
          "`keep_aspect_ratio_policy` is `stretch`, `not_larger`, or `not_smaller`.",
      .inputs = {"x", "scales?", "sizes?", "roi?"},
      .attributes = {{"mode", AttributeOf("nearest")},
                     {"coordinates", AttributeOf("half_pixel")},
                     {"nearest", AttributeOf("round_prefer_floor")},
                     {"cubic_coeff_a", AttributeOf(-0.75)},
                     {"exclude_outside", AttributeOf(false)},
                     {"extrapolation_value", AttributeOf(0.0)},
                     {"antialias", AttributeOf(false)},
                     {"axes", NoneAttribute()},
                     {"keep_aspect_ratio_policy", AttributeOf("stretch")}},
      .result = "A tensor of the dtype and rank of x.",
      .constraints = {"x has a float or integer dtype, or bool for `nearest`.",
                      "Either `scales` (floats greater than 0) or `sizes` (int64) is given, with "
                      "one number for each of `axes`. `roi` has two floats for each, and is given "
                      "for `tf_crop_and_resize`.",
                      "The attributes have one of the listed values, and each axis is a dimension "
                      "of x that occurs once.",
                      "The result has at most 2^31 elements."},
      .infer = InferResize,
      .own_dtypes = {"scales", "sizes", "roi"},
  };
}

}  // namespace signet
