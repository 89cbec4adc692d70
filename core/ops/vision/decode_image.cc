// decode_image: pixels of encoded images. The constraints are those of
// docs/reference/ops/vision.md.

#include "core/ops/def/inference.h"
#include "core/ops/vision/vision_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferDecodeImage(const OpCall& call) {
  // C1: the input is a vector of bytes, or one string. Unknown ranks are checked by the kernel.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  const int rank = x->dtype() == DType::kString ? 0 : 1;
  const bool is_bytes = x->dtype() == DType::kUInt8 || x->dtype() == DType::kString;
  if (!is_bytes || (x->shape().has_rank() && x->shape().rank() != rank)) {
    return InvalidArgument("C1 input 0: expected `uint8[?]` or `string[]`, found `", call.inputs[0],
                           "`");
  }
  // C2: `pixel_format` is rgb, bgr or grayscale.
  SIGNET_ASSIGN_OR_RETURN(std::string format,
                          Labelled("C2", call.attributes.String("pixel_format")));
  if (format != "rgb" && format != "bgr" && format != "grayscale") {
    return InvalidArgument("C2 unsupported pixel_format `", Printable(format),
                           "`; supported: bgr, grayscale, rgb");
  }
  const int64_t channels = format == "grayscale" ? 1 : 3;
  return OneOutput(TensorType(DType::kUInt8, PartialShape{kUnknownDim, kUnknownDim, channels}));
}

}  // namespace

OpDef DecodeImage() {
  return {.name = "decode_image",
          .summary = "Decodes an image",
          .inputs = {"bytes"},
          .attributes = {{"pixel_format", AttributeOf("rgb")}},
          .infer = InferDecodeImage};
}

}  // namespace signet
