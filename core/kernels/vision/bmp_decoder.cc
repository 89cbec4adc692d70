// DecodeBmp: bitmaps of Windows and OS/2 with 1, 4, 8, 16, 24 or 32 bits per pixel, uncompressed.
//
// Source: BITMAPINFOHEADER and BITMAPV5HEADER in the documentation of the Windows API.

#include <array>
#include <bit>

#include "core/kernels/vision/image_decoders.h"

namespace signet {
namespace {

constexpr size_t kFileHeader = 14;
constexpr uint32_t kCoreHeader = 12;  // of OS/2: sizes of 16 bits, and colors of 3 bytes
constexpr uint32_t kInfoHeader = 40;
constexpr uint32_t kUncompressed = 0;
constexpr uint32_t kBitFields = 3;
constexpr uint32_t kAlphaBitFields = 6;

uint32_t Read16(ImageBytes bytes, size_t at) {
  return bytes[at] | (static_cast<uint32_t>(bytes[at + 1]) << 8);
}
uint32_t Read32(ImageBytes bytes, size_t at) {
  return Read16(bytes, at) | (Read16(bytes, at + 2) << 16);
}

struct BmpForm {
  int64_t width = 0;
  int64_t height = 0;
  bool is_top_down = false;
  uint32_t bits = 0;                   // per pixel
  std::array<uint32_t, 3> masks = {};  // of red, green and blue; 16 and 32 bits only
  std::array<std::array<uint8_t, 3>, 256> palette = {};  // up to 8 bits only
  uint32_t num_colors = 0;
  int64_t row_bytes = 0;
  size_t begin = 0;  // of the pixels
};

// Reads the masks of a bit field format, or the default ones. Advances `palette_at` past masks that
// follow the header.
bool ReadMasks(ImageBytes bytes, uint32_t header, uint32_t compression, BmpForm& form,
               size_t& palette_at, ImageWriter& out) {
  if (compression == kUncompressed) {
    form.masks = form.bits == 16 ? std::array<uint32_t, 3>{0x7c00, 0x3e0, 0x1f}
                                 : std::array<uint32_t, 3>{0xff0000, 0xff00, 0xff};
    return true;
  }
  const size_t count = compression == kAlphaBitFields ? 4 : 3;
  const size_t at = kFileHeader + kInfoHeader;
  if (bytes.size() < at + 4 * count) return out.Reject("the header is truncated");
  for (size_t i = 0; i < 3; ++i) {
    const uint32_t mask = Read32(bytes, at + 4 * i);
    form.masks[i] = mask;
    // A mask is a single run of bits.
    const uint32_t run = mask == 0 ? 0 : mask >> std::countr_zero(mask);
    if (run == 0 || (run & (run + 1)) != 0) {
      return out.Reject("expected masks of adjacent bits for red, green, and blue");
    }
  }
  if (header == kInfoHeader) palette_at += 4 * count;
  return true;
}

bool ReadPalette(ImageBytes bytes, size_t at, uint32_t stated, size_t entry_bytes, BmpForm& form,
                 ImageWriter& out) {
  const uint32_t most = uint32_t{1} << form.bits;
  form.num_colors = stated == 0 ? most : std::min(stated, most);
  if (at > bytes.size() || (bytes.size() - at) / entry_bytes < form.num_colors) {
    return out.Reject("the color table is truncated");
  }
  for (size_t i = 0; i < form.num_colors; ++i) {
    const size_t entry = at + i * entry_bytes;
    form.palette[i] = {bytes[entry + 2], bytes[entry + 1], bytes[entry]};
  }
  return true;
}

bool ReadHeader(ImageBytes bytes, BmpForm& form, ImageWriter& out) {
  if (bytes.size() < kFileHeader + kCoreHeader) return out.Reject("the header is truncated");
  form.begin = Read32(bytes, 10);
  const uint32_t header = Read32(bytes, kFileHeader);
  if (header != kCoreHeader && (header < kInfoHeader || header > 1024)) {
    return out.Reject(Cat("expected a header of 12 or of 40 to 1024 bytes, found ", header));
  }
  if (bytes.size() < kFileHeader + header) return out.Reject("the header is truncated");
  uint32_t compression = kUncompressed;
  uint32_t colors = 0;
  if (header == kCoreHeader) {
    form.width = Read16(bytes, 18);
    form.height = Read16(bytes, 20);
    form.bits = Read16(bytes, 24);
  } else {
    form.width = static_cast<int32_t>(Read32(bytes, 18));
    form.height = static_cast<int32_t>(Read32(bytes, 22));
    form.bits = Read16(bytes, 28);
    compression = Read32(bytes, 30);
    colors = Read32(bytes, 46);
    form.is_top_down = form.height < 0;
    if (form.is_top_down) form.height = -form.height;
  }
  if (form.width < 1 || form.height < 1) {
    return out.Reject("expected at least one pixel, found none");
  }
  const bool has_masks = form.bits == 16 || form.bits == 32;
  const bool is_indexed = form.bits == 1 || form.bits == 4 || form.bits == 8;
  if (!is_indexed && !has_masks && form.bits != 24) {
    return out.Reject(Cat("expected 1, 4, 8, 16, 24, or 32 bits per pixel, found ", form.bits));
  }
  const bool is_known =
      compression == kUncompressed ||
      (has_masks && (compression == kBitFields || compression == kAlphaBitFields));
  if (!is_known) {
    return out.Unsupported(Cat("unsupported compression ", compression, " of ", form.bits,
                               " bits per pixel; supported: 0, and 3 and 6 for 16 and 32 bits"));
  }
  size_t palette_at = kFileHeader + header;
  if (has_masks && !ReadMasks(bytes, header, compression, form, palette_at, out)) return false;
  const size_t entry_bytes = header == kCoreHeader ? 3 : 4;
  if (is_indexed && !ReadPalette(bytes, palette_at, colors, entry_bytes, form, out)) return false;
  // Rows are padded to 4 bytes. The width is below 2^31.
  form.row_bytes = (form.width * form.bits + 31) / 32 * 4;
  if (form.begin > bytes.size() ||
      form.height > static_cast<int64_t>(bytes.size() - form.begin) / form.row_bytes) {
    return out.Reject(Cat("expected ", form.height, " rows of ", form.row_bytes, " bytes, found ",
                          bytes.size(), " bytes in all; the image may be truncated"));
  }
  return true;
}

// Returns the bits of `mask`, scaled to 8 bits.
uint8_t Masked(uint32_t pixel, uint32_t mask) {
  const uint64_t most = mask >> std::countr_zero(mask);
  const uint64_t value = (pixel & mask) >> std::countr_zero(mask);
  return static_cast<uint8_t>((value * 255 + most / 2) / most);
}

bool ReadRow(ImageBytes from, const BmpForm& form, uint8_t* rgb, ImageWriter& out) {
  for (int64_t i = 0; i < form.width; ++i, rgb += 3) {
    const auto x = static_cast<size_t>(i);
    if (form.bits == 24) {
      rgb[0] = from[3 * x + 2];
      rgb[1] = from[3 * x + 1];
      rgb[2] = from[3 * x];
      continue;
    }
    if (form.bits > 8) {
      const uint32_t pixel = form.bits == 16 ? Read16(from, 2 * x) : Read32(from, 4 * x);
      for (size_t c = 0; c < 3; ++c) rgb[c] = Masked(pixel, form.masks[c]);
      continue;
    }
    const uint32_t in_byte = 8 / form.bits;
    const auto shift = 8 - form.bits * (static_cast<uint32_t>(x % in_byte) + 1);
    const uint32_t index = (from[x / in_byte] >> shift) & ((1U << form.bits) - 1);
    if (index >= form.num_colors) {
      return out.Reject(Cat("expected an index into ", form.num_colors, " colors, found ", index));
    }
    std::copy_n(form.palette[index].begin(), 3, rgb);
  }
  return true;
}

}  // namespace

bool DecodeBmp(ImageBytes bytes, ImageWriter& out) {
  BmpForm form;
  if (!ReadHeader(bytes, form, out) || !out.Begin(form.width, form.height, {})) return false;
  const auto row_bytes = static_cast<size_t>(form.row_bytes);
  for (int64_t y = 0; y < form.height; ++y) {
    const auto from = static_cast<size_t>(form.is_top_down ? y : form.height - 1 - y);
    if (!ReadRow(bytes.subspan(form.begin + from * row_bytes, row_bytes), form, out.row(y), out) ||
        !out.Finish(y)) {
      return false;
    }
  }
  return true;
}

}  // namespace signet
