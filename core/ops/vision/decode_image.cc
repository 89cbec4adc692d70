// decode_image: decodes an image to its pixels.

#include "core/ops/def/inference.h"
#include "core/ops/vision/vision_ops.h"

namespace signet {
namespace {

StatusOr<std::vector<TypeSpec>> InferDecodeImage(const OpCall& call) {
  // C1: the input is a vector of bytes, or one string. If the rank is unknown, the kernel checks
  // it.
  SIGNET_ASSIGN_OR_RETURN(const TensorSpec* x, TensorInput(call, 0));
  const int rank = x->dtype() == DType::kString ? 0 : 1;
  const bool is_bytes = x->dtype() == DType::kUInt8 || x->dtype() == DType::kString;
  if (!is_bytes || (x->shape().has_rank() && x->shape().rank() != rank)) {
    return WithConstraint(
        "C1", InvalidArgument("input 0: expected `uint8[?]` or `string[]`, found `", call.inputs[0],
                              "`"));
  }
  // C2: `pixel_format` is rgb, bgr or grayscale.
  SIGNET_ASSIGN_OR_RETURN(std::string format,
                          WithConstraint("C2", call.attributes.String("pixel_format")));
  if (format != "rgb" && format != "bgr" && format != "grayscale") {
    return WithConstraint("C2", InvalidArgument("unsupported pixel_format `", Printable(format),
                                                "`; supported: bgr, grayscale, rgb"));
  }
  const int64_t channels = format == "grayscale" ? 1 : 3;
  return OneOutput(TensorType(DType::kUInt8, PartialShape{kUnknownDim, kUnknownDim, channels}));
}

}  // namespace

OpDef DecodeImage() {
  return {
      .name = "decode_image",
      .summary = "Decodes an encoded image",
      .description =
          "Returns the pixels of an encoded image. The format of the image is recognized by its "
          "first bytes. Supported are BMP (1, 4, 8, 16, 24, and 32 bits per pixel, uncompressed), "
          "PNM (PBM, PGM, and PPM, plain and binary, samples of up to 16 bits), JPEG "
          "(libjpeg-turbo; baseline and progressive with up to 100 scans; gray, YCbCr, RGB, and "
          "CMYK), JPEG 2000 (OpenJPEG; files and bare codestreams of up to 4 components and 4096 "
          "tiles, without a palette), PNG (libpng; all variants), TIFF (libtiff 4.5; the first "
          "image of the file), and WebP (libwebp; lossy and lossless still images). The libraries "
          "are optional when Signet is built. An image whose format has no library, or whose "
          "variant is not supported, is rejected as UNIMPLEMENTED. Transparency, color profiles, "
          "and orientation are ignored. Of samples with more than 8 bits, PNG and JPEG 2000 images "
          "keep the upper 8 bits; the others are scaled. A gray value is the luma of ITU-R 601, "
          "0.299 * red + 0.587 * green + 0.114 * blue, rounded. An image has at most 2^26 pixels, "
          "and a JPEG 2000 image at most 2^24. All memory for decoding counts against "
          "`--max_call_bytes`; larger images are rejected as RESOURCE_EXHAUSTED, based on their "
          "header. A call can end between two rows, strips, tiles, or pieces of the file, but not "
          "within a JPEG 2000 image, a strip or tile of a TIFF image, or a piece of a WebP image.",
      .inputs = {"bytes"},
      .attributes = {{"pixel_format", AttributeOf("rgb")}},
      .result =
          "uint8[height, width, 3], or uint8[height, width, 1] for the pixel format `grayscale`.",
      .constraints = {"The input is `uint8[?]` or `string[]`.",
                      "`pixel_format` is `rgb`, `bgr`, or `grayscale`.",
                      "The bytes are a complete image of one of the formats."},
      .infer = InferDecodeImage};
}

}  // namespace signet
