// DecodeTiff: the first image of a TIFF file, by libtiff. Transparency and orientation are ignored.
//
// The image is decoded in bands of one strip or one row of tiles, so that the call can end between
// two of them.

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <tiffio.h>
#include <vector>

#include "core/kernels/vision/image_decoders.h"

namespace signet {
namespace {

constexpr int64_t kTiffFixedBytes = int64_t{1} << 20;
constexpr tmsize_t kMaxAllocation = tmsize_t{1} << 29;

// Presents the bytes to libtiff as a file.
struct TiffSource {
  ImageBytes bytes;
  size_t at = 0;
  ImageWriter* out = nullptr;
};

TiffSource& SourceOf(thandle_t handle) { return *static_cast<TiffSource*>(handle); }

tmsize_t OnRead(thandle_t handle, void* to, tmsize_t count) {
  TiffSource& source = SourceOf(handle);
  const size_t left = source.bytes.size() - source.at;
  const size_t taken = std::min(left, static_cast<size_t>(std::max<tmsize_t>(count, 0)));
  if (taken > 0) std::memcpy(to, source.bytes.data() + source.at, taken);
  source.at += taken;
  return static_cast<tmsize_t>(taken);
}

tmsize_t OnWrite(thandle_t, void*, tmsize_t) { return 0; }

toff_t OnSeek(thandle_t handle, toff_t offset, int whence) {
  TiffSource& source = SourceOf(handle);
  toff_t base = 0;
  if (whence == SEEK_CUR) base = source.at;
  if (whence == SEEK_END) base = source.bytes.size();
  // A position after the end is moved to the end.
  source.at = static_cast<size_t>(std::min<toff_t>(base + offset, source.bytes.size()));
  return source.at;
}

int OnClose(thandle_t) { return 0; }
toff_t OnSize(thandle_t handle) { return SourceOf(handle).bytes.size(); }

int OnError(TIFF*, void* user_data, const char*, const char* format, va_list arguments) {
  char message[256] = {};
  std::vsnprintf(message, sizeof message, format, arguments);
  static_cast<TiffSource*>(user_data)->out->Reject(Printable(message));
  return 1;  // libtiff does not print it
}

int OnWarning(TIFF*, void*, const char*, const char*, va_list) { return 1; }

using TiffFile = std::unique_ptr<TIFF, void (*)(TIFF*)>;

TiffFile OpenTiff(TiffSource& source) {
  std::unique_ptr<TIFFOpenOptions, void (*)(TIFFOpenOptions*)> options(TIFFOpenOptionsAlloc(),
                                                                       TIFFOpenOptionsFree);
  if (options == nullptr) return TiffFile(nullptr, TIFFClose);
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(), kMaxAllocation);
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), OnError, &source);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), OnWarning, &source);
  return {TIFFClientOpenExt("image", "rm", &source, OnRead, OnWrite, OnSeek, OnClose, OnSize,
                            nullptr, nullptr, options.get()),
          TIFFClose};
}

// Keeps libtiff from multiplying colors by transparency.
void IgnoreTransparency(TIFF* file) {
  uint16_t count = 0;
  uint16_t* kinds = nullptr;
  if (TIFFGetField(file, TIFFTAG_EXTRASAMPLES, &count, &kinds) == 0 || count == 0) return;
  std::vector<uint16_t> premultiplied(count, EXTRASAMPLE_ASSOCALPHA);
  TIFFSetField(file, TIFFTAG_EXTRASAMPLES, static_cast<int>(count), premultiplied.data());
}

// Decodes rows [first, first + count) into `raster`, which has room for them.
bool ReadBand(TIFFRGBAImage& image, int64_t first, int64_t count, uint32_t* raster,
              ImageWriter& out) {
  image.row_offset = static_cast<int>(first);
  const int64_t width = out.width();
  if (TIFFRGBAImageGet(&image, raster, static_cast<uint32_t>(width),
                       static_cast<uint32_t>(count)) == 0) {
    return out.Reject("libtiff could not read the pixels");
  }
  if (!out.ok()) return false;  // libtiff reported an error, and continued
  for (int64_t y = 0; y < count; ++y) {
    const uint32_t* from = raster + y * width;
    uint8_t* rgb = out.row(first + y);
    for (int64_t x = 0; x < width; ++x) {
      rgb[3 * x] = static_cast<uint8_t>(TIFFGetR(from[x]));
      rgb[3 * x + 1] = static_cast<uint8_t>(TIFFGetG(from[x]));
      rgb[3 * x + 2] = static_cast<uint8_t>(TIFFGetB(from[x]));
    }
    if (!out.Finish(first + y)) return false;
  }
  return true;
}

}  // namespace

bool DecodeTiff(ImageBytes bytes, ImageWriter& out) {
  TiffSource source = {.bytes = bytes, .out = &out};
  TiffFile file = OpenTiff(source);
  if (file == nullptr) return out.Reject("libtiff could not read the header");
  uint32_t width = 0;
  uint32_t height = 0;
  TIFFGetField(file.get(), TIFFTAG_IMAGEWIDTH, &width);
  TIFFGetField(file.get(), TIFFTAG_IMAGELENGTH, &height);
  uint32_t band = 0;
  const bool is_tiled = TIFFIsTiled(file.get()) != 0;
  if (is_tiled) {
    TIFFGetField(file.get(), TIFFTAG_TILELENGTH, &band);
  } else {
    TIFFGetFieldDefaulted(file.get(), TIFFTAG_ROWSPERSTRIP, &band);
  }
  band = std::clamp<uint32_t>(band, 1, std::max<uint32_t>(height, 1));
  const uint64_t part = is_tiled ? TIFFTileSize64(file.get()) : TIFFStripSize64(file.get());
  if (part > static_cast<uint64_t>(kMaxAllocation)) {
    return out.Fail(ResourceExhausted("input 0: TIFF: strips or tiles of ", part,
                                      " bytes exceed the limit of ", kMaxAllocation));
  }
  // The memory of an encoded part and of a decoded part, or of up to 4 decoded parts if the colors
  // are stored separately.
  const int64_t library_bytes =
      kTiffFixedBytes + static_cast<int64_t>(bytes.size()) + 4 * static_cast<int64_t>(part);
  if (!out.Begin(width, height, {.library_bytes = library_bytes})) return false;
  char fault[1024] = {};
  IgnoreTransparency(file.get());
  if (TIFFRGBAImageOK(file.get(), fault) == 0) return out.Unsupported(Printable(fault));
  auto* raster = reinterpret_cast<uint32_t*>(out.Scratch(4 * int64_t{width} * band));
  if (raster == nullptr) return false;
  TIFFRGBAImage image = {};
  if (TIFFRGBAImageBegin(&image, file.get(), 1, fault) == 0) return out.Reject(Printable(fault));
  std::unique_ptr<TIFFRGBAImage, void (*)(TIFFRGBAImage*)> ends(&image, TIFFRGBAImageEnd);
  image.orientation = ORIENTATION_TOPLEFT;
  image.req_orientation = ORIENTATION_TOPLEFT;
  for (int64_t y = 0; y < height; y += band) {
    const int64_t count = std::min<int64_t>(band, height - y);
    if (!ReadBand(image, y, count, raster, out)) return false;
  }
  return out.ok();
}

}  // namespace signet
