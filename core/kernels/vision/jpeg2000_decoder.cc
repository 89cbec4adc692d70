// DecodeJpeg2000: JPEG 2000 images, as files (JP2) or bare codestreams, by OpenJPEG.
//
// The boxes of a file and the sizes of the codestream are read here, so that sizes are checked
// before the library allocates. Gray, RGB and sYCC images are supported; transparency is ignored.
// Source: ISO/IEC 15444-1, annexes A.5.1 (SIZ) and I (boxes).

#include <algorithm>
#include <cstring>
#include <memory>
#include <openjpeg.h>

#include "core/kernels/vision/image_decoders.h"

namespace signet {
namespace {

// A call cannot end while the library decodes an image.
constexpr int64_t kMaxPixels = int64_t{1} << 24;
constexpr int64_t kMaxTiles = 4096;
constexpr int64_t kBytesPerTile = 16384;
constexpr int64_t kJpeg2000FixedBytes = int64_t{1} << 20;
constexpr int64_t kNanosecondsPerSample = 30;
constexpr uint32_t kMaxComponents = 4;
constexpr uint32_t kYcc = 18;  // of the box `colr`

constexpr uint32_t BoxType(const char (&name)[5]) {
  uint32_t type = 0;
  for (int i = 0; i < 4; ++i) type = (type << 8) | static_cast<uint8_t>(name[i]);
  return type;
}

uint32_t Read32(ImageBytes bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i) value = (value << 8) | bytes[at + i];
  return value;
}

struct Box {
  uint32_t type = 0;
  ImageBytes content;
};

// Removes the first box from `bytes`. Returns false if it is not complete.
bool TakeBox(ImageBytes& bytes, Box& box) {
  if (bytes.size() < 8) return false;
  uint64_t size = Read32(bytes, 0);
  size_t header = 8;
  box.type = Read32(bytes, 4);
  if (size == 0) size = bytes.size();  // the last box
  if (size == 1) {
    if (bytes.size() < 16) return false;
    size = (uint64_t{Read32(bytes, 8)} << 32) | Read32(bytes, 12);
    header = 16;
  }
  if (size < header || size > bytes.size()) return false;
  box.content = bytes.subspan(header, static_cast<size_t>(size) - header);
  bytes = bytes.subspan(static_cast<size_t>(size));
  return true;
}

struct Jp2File {
  ImageBytes codestream;
  bool is_ycc = false;
};

// Reads the boxes of `jp2h`.
bool ReadHeaderBoxes(ImageBytes bytes, Jp2File& file, ImageWriter& out) {
  for (Box box; !bytes.empty();) {
    if (!TakeBox(bytes, box)) return out.Reject("a box is truncated");
    if (box.type == BoxType("pclr")) {
      return out.Unsupported("the image has a palette; supported: gray, RGB, and sYCC");
    }
    const bool is_numbered =
        box.type == BoxType("colr") && box.content.size() >= 7 && box.content[0] == 1;
    if (is_numbered) file.is_ycc = Read32(box.content, 3) == kYcc;
  }
  return true;
}

bool FindCodestream(ImageBytes bytes, Jp2File& file, ImageWriter& out) {
  if (bytes[0] == 0xff) {  // a bare codestream
    file.codestream = bytes;
    return true;
  }
  for (Box box; !bytes.empty();) {
    if (!TakeBox(bytes, box)) return out.Reject("a box is truncated");
    if (box.type == BoxType("jp2h") && !ReadHeaderBoxes(box.content, file, out)) return false;
    if (box.type == BoxType("jp2c")) {
      file.codestream = box.content;
      return true;
    }
  }
  return out.Reject("the file has no codestream");
}

// The contents of the marker segment SIZ.
struct CodestreamSizes {
  int64_t width = 0;
  int64_t height = 0;
  int64_t tiles = 0;
  uint32_t components = 0;
};

bool ReadSizes(ImageBytes bytes, CodestreamSizes& sizes, ImageWriter& out) {
  if (bytes.size() < 42 || Read32(bytes, 0) != 0xff4fff51) {
    return out.Reject("expected the sizes of the image at the beginning of the codestream");
  }
  auto at = [&](size_t i) { return int64_t{Read32(bytes, 8 + 4 * i)}; };
  sizes.width = at(0) - at(2);
  sizes.height = at(1) - at(3);
  sizes.components = (uint32_t{bytes[40]} << 8) | bytes[41];
  const int64_t tile_width = at(4);
  const int64_t tile_height = at(5);
  const int64_t across = at(0) - at(6);
  const int64_t down = at(1) - at(7);
  if (sizes.width < 1 || sizes.height < 1 || tile_width < 1 || tile_height < 1 || across < 1 ||
      down < 1) {
    return out.Reject("expected at least one pixel, found none");
  }
  const int64_t columns = (across - 1) / tile_width + 1;
  const int64_t rows = (down - 1) / tile_height + 1;
  if (rows > kMaxTiles / columns) {
    return out.Unsupported(Cat("the image has more than ", kMaxTiles, " tiles"));
  }
  sizes.tiles = rows * columns;
  if (sizes.components < 1 || sizes.components > kMaxComponents) {
    return out.Unsupported(
        Cat("unsupported number of components ", sizes.components, "; supported: 1 to 4"));
  }
  return true;
}

// Presents the codestream to OpenJPEG as a stream.
struct Source {
  ImageBytes bytes;
  size_t at = 0;
};

OPJ_SIZE_T OnRead(void* to, OPJ_SIZE_T count, void* user_data) {
  auto& source = *static_cast<Source*>(user_data);
  const size_t taken = std::min(count, source.bytes.size() - source.at);
  if (taken == 0) return static_cast<OPJ_SIZE_T>(-1);
  std::memcpy(to, source.bytes.data() + source.at, taken);
  source.at += taken;
  return taken;
}

OPJ_OFF_T OnSkip(OPJ_OFF_T count, void* user_data) {
  auto& source = *static_cast<Source*>(user_data);
  const auto left = static_cast<OPJ_OFF_T>(source.bytes.size() - source.at);
  if (count < 0 || left == 0) return -1;
  const OPJ_OFF_T taken = std::min(count, left);
  source.at += static_cast<size_t>(taken);
  return taken;
}

OPJ_BOOL OnSeek(OPJ_OFF_T offset, void* user_data) {
  auto& source = *static_cast<Source*>(user_data);
  if (offset < 0 || static_cast<uint64_t>(offset) > source.bytes.size()) return OPJ_FALSE;
  source.at = static_cast<size_t>(offset);
  return OPJ_TRUE;
}

void OnError(const char* message, void* user_data) {
  std::string_view text = message;
  if (text.ends_with('\n')) text.remove_suffix(1);
  static_cast<ImageWriter*>(user_data)->Reject(Printable(text));
}
void OnMessage(const char*, void*) {}

// Returns sample (x, y) of a component in 8 bits. A component may have fewer samples than the image
// has pixels.
int32_t SampleAt(const opj_image_comp_t& component, int64_t x, int64_t y) {
  const int64_t column = std::min<int64_t>(x / component.dx, component.w - 1);
  const int64_t line = std::min<int64_t>(y / component.dy, component.h - 1);
  int64_t value = component.data[line * component.w + column];
  const auto bits = static_cast<int64_t>(component.prec);
  // NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): CheckComponents checks it.
  if (component.sgnd != 0) value += int64_t{1} << (bits - 1);
  const int64_t most = (int64_t{1} << bits) - 1;
  value = std::clamp<int64_t>(value, 0, most);
  return static_cast<int32_t>(bits > 8 ? value >> (bits - 8) : value * 255 / most);
}

uint8_t Rounded(double value) { return static_cast<uint8_t>(std::clamp(value + 0.5, 0.0, 255.0)); }

void ReadRow(const opj_image_t& image, bool is_ycc, int64_t y, int64_t width, uint8_t* rgb) {
  const bool is_color = image.numcomps >= 3;
  for (int64_t x = 0; x < width; ++x, rgb += 3) {
    for (uint32_t c = 0; c < 3; ++c) {
      rgb[c] = static_cast<uint8_t>(SampleAt(image.comps[is_color ? c : 0], x, y));
    }
    if (!is_color || !is_ycc) continue;
    const double luma = rgb[0];
    const double blue = rgb[1] - 128.0;
    const double red = rgb[2] - 128.0;
    rgb[0] = Rounded(luma + 1.402 * red);
    rgb[1] = Rounded(luma - 0.344136 * blue - 0.714136 * red);
    rgb[2] = Rounded(luma + 1.772 * blue);
  }
}

bool CheckComponents(const opj_image_t& image, const CodestreamSizes& sizes, ImageWriter& out) {
  if (image.numcomps != sizes.components) return out.Reject("a component is missing");
  for (uint32_t c = 0; c < image.numcomps; ++c) {
    const opj_image_comp_t& component = image.comps[c];
    if (component.data == nullptr || component.w == 0 || component.h == 0 || component.dx == 0 ||
        component.dy == 0) {
      return out.Reject("a component has no samples");
    }
    if (component.prec < 1 || component.prec > 31) {
      return out.Unsupported(
          Cat("unsupported samples of ", component.prec, " bits; supported: 1 to 31"));
    }
  }
  return true;
}

}  // namespace

bool DecodeJpeg2000(ImageBytes bytes, ImageWriter& out) {
  Jp2File file;
  CodestreamSizes sizes;
  if (!FindCodestream(bytes, file, out) || !ReadSizes(file.codestream, sizes, out)) return false;
  // Both its tile and the image keep each sample as an int32.
  const int64_t pixel_bytes = 8 * int64_t{sizes.components};
  // NOLINTNEXTLINE(clang-analyzer-core.DivideZero): ReadSizes rejects empty images.
  if (sizes.height > kMaxPixels / sizes.width) {
    // Begin rejects it.
    return out.Begin(sizes.width, sizes.height, {.max_pixels = kMaxPixels});
  }
  const int64_t samples = sizes.width * sizes.height * sizes.components;
  if (!out.Begin(sizes.width, sizes.height,
                 {.library_bytes = kJpeg2000FixedBytes + kBytesPerTile * sizes.tiles +
                                   pixel_bytes * sizes.width * sizes.height +
                                   2 * static_cast<int64_t>(bytes.size()),
                  .max_pixels = kMaxPixels})) {
    return false;
  }
  Source source = {.bytes = file.codestream};
  std::unique_ptr<opj_stream_t, void (*)(opj_stream_t*)> stream(
      opj_stream_create(size_t{1} << 16, OPJ_TRUE), opj_stream_destroy);
  std::unique_ptr<opj_codec_t, void (*)(opj_codec_t*)> codec(opj_create_decompress(OPJ_CODEC_J2K),
                                                             opj_destroy_codec);
  if (stream == nullptr || codec == nullptr) {
    return out.Fail(ResourceExhausted("no memory to read a JPEG 2000 image"));
  }
  opj_stream_set_read_function(stream.get(), OnRead);
  opj_stream_set_skip_function(stream.get(), OnSkip);
  opj_stream_set_seek_function(stream.get(), OnSeek);
  opj_stream_set_user_data(stream.get(), &source, nullptr);
  opj_stream_set_user_data_length(stream.get(), source.bytes.size());
  opj_set_error_handler(codec.get(), OnError, &out);
  opj_set_warning_handler(codec.get(), OnMessage, nullptr);
  opj_set_info_handler(codec.get(), OnMessage, nullptr);
  opj_dparameters_t parameters;
  opj_set_default_decoder_parameters(&parameters);
  opj_image_t* read_image = nullptr;
  bool read = opj_setup_decoder(codec.get(), &parameters) != OPJ_FALSE &&
              opj_read_header(stream.get(), codec.get(), &read_image) != OPJ_FALSE;
  std::unique_ptr<opj_image_t, void (*)(opj_image_t*)> image(read_image, opj_image_destroy);
  read =
      read && out.Spend(samples) && opj_decode(codec.get(), stream.get(), image.get()) != OPJ_FALSE;
  if (!read || !out.ok()) return out.Reject("OpenJPEG could not read the image");
  if (!out.Spend(samples * kNanosecondsPerSample) || !CheckComponents(*image, sizes, out)) {
    return false;
  }
  for (int64_t y = 0; y < sizes.height; ++y) {
    ReadRow(*image, file.is_ycc, y, sizes.width, out.row(y));
    if (!out.Finish(y)) return false;
  }
  return true;
}

}  // namespace signet
