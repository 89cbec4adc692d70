// DecodeWebp: WebP images, by libwebp. Transparency is ignored.
//
// The bytes are passed to the library piece by piece, so that the call can end between two pieces.

#include <algorithm>
#include <memory>

#include <webp/decode.h>

#include "core/kernels/vision/image_decoders.h"

namespace signet {
namespace {

constexpr int64_t kWebpFixedBytes = int64_t{1} << 20;
constexpr int64_t kWebpBytesPerColumn = 256;
constexpr size_t kPiece = 4096;

const char* FaultOf(VP8StatusCode code) {
  switch (code) {
    case VP8_STATUS_SUSPENDED:
    case VP8_STATUS_NOT_ENOUGH_DATA:
      return "the image is truncated";
    case VP8_STATUS_OUT_OF_MEMORY:
      return "libwebp could not allocate memory";
    default:
      return "the bytes are not a WebP image that libwebp can read";
  }
}

}  // namespace

bool DecodeWebp(ImageBytes bytes, ImageWriter& out) {
  WebPDecoderConfig config;
  if (WebPInitDecoderConfig(&config) == 0)
    return out.Unsupported("Signet was built for another version of libwebp");
  VP8StatusCode code = WebPGetFeatures(bytes.data(), bytes.size(), &config.input);
  if (code != VP8_STATUS_OK) return out.Reject(FaultOf(code));
  if (config.input.has_animation != 0) {
    return out.Unsupported("the image is animated; supported: still images");
  }
  const int64_t width = config.input.width;
  const int64_t height = config.input.height;
  // The library keeps the whole image if it is lossless, with 4 bytes per pixel. Transparency of
  // other images has 1 byte per pixel.
  const int64_t kept = width * height * (config.input.format == 2 ? 5 : 1);
  if (!out.Begin(width, height,
                 {.library_bytes = kWebpFixedBytes + kWebpBytesPerColumn * width + kept,
                  .rows_in_any_order = true})) {
    return false;
  }
  config.output.colorspace = MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA = {.rgba = out.row(0),
                          .stride = static_cast<int>(3 * width),
                          .size = static_cast<size_t>(3 * width * height)};
  std::unique_ptr<WebPIDecoder, void (*)(WebPIDecoder*)> decoder(WebPIDecode(nullptr, 0, &config),
                                                                 WebPIDelete);
  if (decoder == nullptr) return out.Fail(ResourceExhausted("no memory to read a WebP image"));
  code = VP8_STATUS_SUSPENDED;
  for (size_t end = 0; code == VP8_STATUS_SUSPENDED && end < bytes.size();) {
    end = std::min(end + kPiece, bytes.size());
    code = WebPIUpdate(decoder.get(), bytes.data(), end);
    if (!out.Spend(static_cast<int64_t>(kPiece) * 20)) return false;
  }
  if (code != VP8_STATUS_OK) return out.Reject(FaultOf(code));
  for (int64_t y = 0; y < height; ++y) {
    if (!out.Finish(y)) return false;
  }
  return true;
}

}  // namespace signet
