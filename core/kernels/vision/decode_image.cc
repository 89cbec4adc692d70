// The kernel of `decode_image`: recognizes the format of an image by its first bytes, and decodes
// it.

#include <string>
#include <string_view>

#include "core/kernels/vision/image_decoders.h"
#include "core/kernels/vision/vision_kernels.h"

namespace signet {
namespace {

using MadeKernel = StatusOr<std::unique_ptr<Kernel>>;
using namespace std::string_view_literals;

// A decoder is null if CMake did not find its library.
#ifdef SIGNET_HAS_JPEG
constexpr DecodeImageFn kDecodeJpeg = DecodeJpeg;
#else
constexpr DecodeImageFn kDecodeJpeg = nullptr;
#endif
#ifdef SIGNET_HAS_JPEG2000
constexpr DecodeImageFn kDecodeJpeg2000 = DecodeJpeg2000;
#else
constexpr DecodeImageFn kDecodeJpeg2000 = nullptr;
#endif
#ifdef SIGNET_HAS_PNG
constexpr DecodeImageFn kDecodePng = DecodePng;
#else
constexpr DecodeImageFn kDecodePng = nullptr;
#endif
#ifdef SIGNET_HAS_TIFF
constexpr DecodeImageFn kDecodeTiff = DecodeTiff;
#else
constexpr DecodeImageFn kDecodeTiff = nullptr;
#endif
#ifdef SIGNET_HAS_WEBP
constexpr DecodeImageFn kDecodeWebp = DecodeWebp;
#else
constexpr DecodeImageFn kDecodeWebp = nullptr;
#endif

struct ImageFormat {
  const char* name;
  std::string_view begin;  // the first bytes of each image
  DecodeImageFn decode;
  const char* library;
};

constexpr ImageFormat kFormats[] = {
    {"BMP", "BM"sv, DecodeBmp, ""},
    {"JPEG", "\xff\xd8\xff"sv, kDecodeJpeg, "libjpeg-turbo"},
    {"JPEG 2000", "\0\0\0\x0cjP  \r\n\x87\n"sv, kDecodeJpeg2000, "OpenJPEG"},
    {"JPEG 2000", "\xff\x4f\xff\x51"sv, kDecodeJpeg2000, "OpenJPEG"},
    {"PNG", "\x89PNG\r\n\x1a\n"sv, kDecodePng, "libpng"},
    {"PNM", "P1"sv, DecodePnm, ""},
    {"PNM", "P2"sv, DecodePnm, ""},
    {"PNM", "P3"sv, DecodePnm, ""},
    {"PNM", "P4"sv, DecodePnm, ""},
    {"PNM", "P5"sv, DecodePnm, ""},
    {"PNM", "P6"sv, DecodePnm, ""},
    {"TIFF", "II*\0"sv, kDecodeTiff, "libtiff"},
    {"TIFF", "II+\0"sv, kDecodeTiff, "libtiff"},
    {"TIFF", "MM\0*"sv, kDecodeTiff, "libtiff"},
    {"TIFF", "MM\0+"sv, kDecodeTiff, "libtiff"},
};

constexpr ImageFormat kWebp = {"WebP", "RIFF"sv, kDecodeWebp, "libwebp"};

const ImageFormat* LookupFormat(std::string_view bytes) {
  if (bytes.starts_with("RIFF"sv) && bytes.size() >= 12 && bytes.substr(8, 4) == "WEBP"sv) {
    return &kWebp;
  }
  for (const ImageFormat& format : kFormats) {
    if (bytes.starts_with(format.begin)) return &format;
  }
  return nullptr;
}

// Returns the encoded image in `x`, a vector of bytes or one string.
StatusOr<std::string_view> EncodedBytes(const Tensor& x) {
  if (x.dtype() == DType::kString && x.rank() == 0) return x.string_at(0);
  if (x.dtype() == DType::kUInt8 && x.rank() == 1) {
    return std::string_view(reinterpret_cast<const char*>(x.elements<uint8_t>().data()),
                            static_cast<size_t>(x.num_elements()));
  }
  return WithConstraint(
      "C1", InvalidArgument("input 0: expected `uint8[?]` or `string[]`, found `", x.spec(), "`"));
}

PixelFormat PixelFormatOf(std::string_view name) {
  if (name == "bgr") return PixelFormat::kBgr;
  return name == "grayscale" ? PixelFormat::kGrayscale : PixelFormat::kRgb;
}

MadeKernel MakeDecodeImage(const KernelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(std::string name, request.call.attributes.String("pixel_format"));
  auto kernel = MakeKernel([pixel_format = PixelFormatOf(name)](KernelContext& context) -> Status {
    SIGNET_ASSIGN_OR_RETURN(std::string_view bytes, EncodedBytes(context.input(0)));
    const ImageFormat* format = LookupFormat(bytes);
    if (format == nullptr) {
      return WithConstraint(
          "C3",
          InvalidArgument(
              "input 0: expected a BMP, JPEG, JPEG 2000, PNG, PNM, TIFF, or WebP image, found ",
              bytes.size(), " bytes that begin with `", Printable(bytes.substr(0, 8)), "`"));
    }
    if (format->decode == nullptr) {
      return Unimplemented("input 0: ", format->name, " images require ", format->library,
                           ", which this build of Signet does not include");
    }
    ImageWriter out(context, pixel_format, format->name);
    const ImageBytes encoded(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
    if (format->decode(encoded, out)) return absl::OkStatus();
    return out.status();
  });
  kernel->set_cost(1e6);  // unknown before the header is read
  return kernel;
}

constexpr KernelDef kDecodeImageKernels[] = {{"decode_image", MakeDecodeImage}};

}  // namespace

std::span<const KernelDef> DecodeImageKernels() { return kDecodeImageKernels; }

}  // namespace signet
