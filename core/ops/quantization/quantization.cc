// quantize, dequantize, requantize, dynamic_quantize: convert between numbers and small integers.

#include <algorithm>

#include "core/ops/def/inference.h"
#include "core/ops/quantization/quantization_ops.h"

namespace signet {
namespace {

constexpr DType kQuantized[] = {DType::kInt8, DType::kUInt8, DType::kInt16, DType::kUInt16};
constexpr DType kIntegers[] = {DType::kInt8, DType::kUInt8, DType::kInt16, DType::kUInt16,
                               DType::kInt32};
constexpr DType kNumbers[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16, DType::kInt32};
constexpr DType kFloats[] = {DType::kFloat32, DType::kFloat16, DType::kBFloat16};

bool IsOneOf(DType dtype, std::span<const DType> dtypes) {
  return std::find(dtypes.begin(), dtypes.end(), dtype) != dtypes.end();
}

StatusOr<const TensorSpec*> InputOf(const OpCall& call, size_t i, std::span<const DType> dtypes) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* input, TensorInput(call, i));
  if (IsOneOf(input->dtype(), dtypes)) return input;
  std::string names;
  for (DType dtype : dtypes) names += Cat(names.empty() ? "" : ", ", NameOf(dtype));
  return WithConstraint("C1", InvalidArgument("input ", i, ": expected one of ", names, ", found `",
                                              call.inputs[i], "`"));
}

// C2: the scale is one number, or a vector with one number per position along `axis`, or, with
// `block_size`, one number per block of `block_size` positions along `axis`.
Status CheckScale(const OpCall& call, const PartialShape& x, const PartialShape& scale) {
  SIGNET_ASSIGN_OR_RETURN(int64_t block, WithConstraint("C2", call.attributes.Int("block_size")));
  if (block < 0)
    return WithConstraint("C2", InvalidArgument("block_size: expected at least 0, found ", block));
  SIGNET_RETURN_IF_ERROR(WithConstraint("C2", call.attributes.Int("axis").status()));
  if (!x.has_rank() || !scale.has_rank()) return absl::OkStatus();
  if (block == 0) {
    if (scale.rank() == 0 || (scale.rank() == 1 && scale.dim(0) == 1)) return absl::OkStatus();
    if (scale.rank() == 1 && scale.dim(0) == kUnknownDim) return absl::OkStatus();
    SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", x.rank(), "C2"));
    if (scale.IsCompatibleWith({x.dim(axis)})) return absl::OkStatus();
    return WithConstraint(
        "C2",
        InvalidArgument(
            "scale: expected one number, or a vector with one number per position along axis ",
            axis, " of `", call.inputs[0], "`, found `", call.inputs[1], "`"));
  }
  SIGNET_ASSIGN_OR_RETURN(int axis, AxisAttribute(call, "axis", x.rank(), "C2"));
  int64_t size = x.dim(axis);
  PartialShape blocks =
      x.WithDim(axis, size == kUnknownDim ? size : size / block + (size % block != 0));
  if (scale.IsCompatibleWith(blocks)) return absl::OkStatus();
  return WithConstraint(
      "C2",
      InvalidArgument("scale: expected shape `", blocks, "`, with one number per block of ", block,
                      " elements along axis ", axis, ", found `", call.inputs[1], "`"));
}

// C3: the zero point has an integer dtype of at most 32 bits. It is one number, or has the shape of
// the scale.
StatusOr<const TensorSpec*> ZeroPointOf(const OpCall& call, const PartialShape& scale) {
  if (!HasInput(call, 2)) return nullptr;
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* zero, TensorInput(call, 2));
  const PartialShape& shape = zero->shape();
  bool fits = IsOneOf(zero->dtype(), kIntegers) &&
              (shape.IsCompatibleWith(Shape{}) || shape.IsCompatibleWith({1}) ||
               shape.IsCompatibleWith(scale));
  if (fits) return zero;
  return WithConstraint(
      "C3",
      InvalidArgument(
          "zero point: expected integers of at most 32 bits, one number or the shape of the scale, "
          "`",
          call.inputs[1], "`, found `", call.inputs[2], "`"));
}

// C4: the result is int8, uint8, int16, or uint16.
StatusOr<DType> QuantizedDType(const OpCall& call, const TensorSpec* zero) {
  DType dtype = zero == nullptr ? DType::kUInt8 : zero->dtype();
  if (!IsNone(call.attributes, "dtype")) {
    SIGNET_ASSIGN_OR_RETURN(dtype, WithConstraint("C4", call.attributes.DTypeNamed("dtype")));
  }
  if (IsOneOf(dtype, kQuantized)) return dtype;
  return WithConstraint(
      "C4", InvalidArgument("dtype: expected int8, uint8, int16 or uint16, found ", NameOf(dtype)));
}

StatusOr<std::vector<TypeSpec>> InferQuantize(const OpCall& call) {
  bool is_requantize = call.op.name == "requantize";
  constexpr DType kInt32[] = {DType::kInt32};
  constexpr DType kFloat32[] = {DType::kFloat32};
  auto accepted = is_requantize ? std::span<const DType>(kInt32) : std::span<const DType>(kNumbers);
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, InputOf(call, 0, accepted));
  auto scales = is_requantize ? std::span<const DType>(kFloat32) : std::span<const DType>(kNumbers);
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* scale, InputOf(call, 1, scales));
  SIGNET_RETURN_IF_ERROR(CheckScale(call, x->shape(), scale->shape()));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* zero, ZeroPointOf(call, scale->shape()));
  SIGNET_ASSIGN_OR_RETURN(DType dtype, QuantizedDType(call, zero));
  return OneOutput(TensorType(dtype, x->shape()));
}

StatusOr<std::vector<TypeSpec>> InferDequantize(const OpCall& call) {
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, InputOf(call, 0, kIntegers));
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* scale, InputOf(call, 1, kFloats));
  SIGNET_RETURN_IF_ERROR(CheckScale(call, x->shape(), scale->shape()));
  SIGNET_RETURN_IF_ERROR(ZeroPointOf(call, scale->shape()).status());
  DType dtype = scale->dtype();
  if (!IsNone(call.attributes, "dtype")) {
    SIGNET_ASSIGN_OR_RETURN(dtype, WithConstraint("C4", call.attributes.DTypeNamed("dtype")));
  }
  // C4: the result is float32, float16, or bfloat16.
  if (!IsOneOf(dtype, kFloats)) {
    return WithConstraint(
        "C4",
        InvalidArgument("dtype: expected float32, float16 or bfloat16, found ", NameOf(dtype)));
  }
  return OneOutput(TensorType(dtype, x->shape()));
}

StatusOr<std::vector<TypeSpec>> InferDynamicQuantize(const OpCall& call) {
  constexpr DType kFloat32[] = {DType::kFloat32};
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, InputOf(call, 0, kFloat32));
  return std::vector<TypeSpec>{TensorType(DType::kUInt8, x->shape()),
                               TensorType(DType::kFloat32, Shape{}),
                               TensorType(DType::kUInt8, Shape{})};
}

}  // namespace

std::vector<OpDef> QuantizationOps() {
  const std::vector<AttributeDef> attributes = {
      {"axis", AttributeOf(1)}, {"block_size", AttributeOf(0)}, {"dtype", NoneAttribute()}};
  return {
      {.name = "quantize",
       .summary = "Converts numbers to small integers by a scale and a zero point",
       .description =
           "Computes `x / scale + zero_point`, rounded to the nearest integer, with halves to the "
           "even one. Results are limited to the range of the integer dtype, and NaN is converted "
           "to its smallest number. The scale is one number, or a vector with one number per "
           "position along `axis`, or, with `block_size`, has the rank of x and one number per "
           "block of that many positions along `axis`. A missing zero point is 0. float16 and "
           "bfloat16 are converted to float32 first.",
       .inputs = {"x", "scale", "zero_point?"},
       .attributes = attributes,
       .result = "A tensor of the shape of x and the dtype `dtype`, or of the zero point if "
                 "`dtype` is None, or uint8 if both are missing.",
       .constraints = {"x and the scale are float32, float16, bfloat16, or int32.",
                       "The scale is one number, has one number per position along `axis`, or has "
                       "one number per block.",
                       "The zero point has an integer dtype of at most 32 bits and is one number, "
                       "or has the shape of the scale.",
                       "The result is int8, uint8, int16, or uint16."},
       .infer = InferQuantize,
       .own_dtypes = {"scale", "zero_point"}},
      {.name = "dequantize",
       .summary = "Converts small integers to numbers by a scale and a zero point",
       .description = "Computes `(x - zero_point) * scale` in float32. The scale, the zero point, "
                      "`axis`, and `block_size` are as in `quantize`.",
       .inputs = {"x", "scale", "zero_point?"},
       .attributes = attributes,
       .result =
           "A tensor of the shape of x and the dtype `dtype`, or of the scale if `dtype` is None.",
       .constraints = {"x has an integer dtype of at most 32 bits except uint32. The scale is "
                       "float32, float16, or bfloat16.",
                       "The scale is one number, has one number per position along `axis`, or has "
                       "one number per block.",
                       "The zero point has an integer dtype of at most 32 bits and is one number, "
                       "or has the shape of the scale.",
                       "The result is float32, float16, or bfloat16."},
       .infer = InferDequantize,
       .own_dtypes = {"scale"}},
      {.name = "requantize",
       .summary = "Converts sums of products to small integers",
       .description = "Computes `x * multiplier + zero_point` as small integers, rounded and "
                      "limited as in `quantize`. It converts sums of products, such as the result "
                      "of `matmul_integer`, to another scale.",
       .inputs = {"x", "multiplier", "zero_point?"},
       .attributes = attributes,
       .result = "A tensor of the shape of x and the dtype `dtype`, or of the zero point if "
                 "`dtype` is None, or uint8 if both are missing.",
       .constraints = {"x is int32, and the multiplier is float32.",
                       "The multiplier is one number, has one number per position along `axis`, or "
                       "has one number per block.",
                       "The zero point has an integer dtype of at most 32 bits and is one number, "
                       "or has the shape of the multiplier.",
                       "The result is int8, uint8, int16, or uint16."},
       .infer = InferQuantize,
       .own_dtypes = {"multiplier", "zero_point"}},
      {.name = "dynamic_quantize",
       .summary = "Converts numbers to uint8 by a scale computed from their range",
       .description = "Quantizes x to uint8, with a scale and a zero point that are computed from "
                      "the range of the elements. The range always includes 0, which is "
                      "represented exactly. If all elements are 0, the scale is 1.",
       .inputs = {"x"},
       .outputs = {"values", "scale", "zero_point"},
       .result = "Three outputs: the uint8 tensor, the scale, and the zero point.",
       .constraints = {"x is float32."},
       .infer = InferDynamicQuantize},
  };
}

}  // namespace signet
