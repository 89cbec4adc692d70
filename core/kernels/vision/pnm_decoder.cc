// DecodePnm: the portable bitmaps, graymaps and pixmaps of Netpbm (P1 to P6).
//
// Samples are scaled to 8 bits and rounded. Source: the manual pages pbm(5), pgm(5) and ppm(5).

#include <optional>

#include "core/kernels/vision/image_decoders.h"

namespace signet {
namespace {

constexpr int64_t kMaxNumber = int64_t{1} << 31;

bool IsSpace(uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool IsDigit(uint8_t c) { return c >= '0' && c <= '9'; }

// Reads the tokens of a header, and the samples of plain formats.
class PnmReader {
 public:
  explicit PnmReader(ImageBytes bytes) : bytes_(bytes) {}

  // Returns the next decimal number, or nothing if there is none or it is too large.
  std::optional<int64_t> Number() {
    SkipSpace();
    if (bytes_.empty() || !IsDigit(bytes_[0])) return std::nullopt;
    int64_t number = 0;
    while (!bytes_.empty() && IsDigit(bytes_[0])) {
      number = 10 * number + (bytes_[0] - '0');
      if (number > kMaxNumber) return std::nullopt;
      bytes_ = bytes_.subspan(1);
    }
    return number;
  }
  // Returns the next digit of a plain bitmap, whose digits need no space between them.
  std::optional<int64_t> Bit() {
    SkipSpace();
    if (bytes_.empty() || bytes_[0] < '0' || bytes_[0] > '1') return std::nullopt;
    const int64_t bit = bytes_[0] - '0';
    bytes_ = bytes_.subspan(1);
    return bit;
  }
  // Skips the one byte of white space after a header.
  bool SkipOneSpace() {
    if (bytes_.empty() || !IsSpace(bytes_[0])) return false;
    bytes_ = bytes_.subspan(1);
    return true;
  }
  ImageBytes rest() const { return bytes_; }

 private:
  void SkipSpace() {
    while (!bytes_.empty() && (IsSpace(bytes_[0]) || bytes_[0] == '#')) {
      const bool is_comment = bytes_[0] == '#';
      while (is_comment && !bytes_.empty() && bytes_[0] != '\n' && bytes_[0] != '\r') {
        bytes_ = bytes_.subspan(1);
      }
      if (!bytes_.empty()) bytes_ = bytes_.subspan(1);
    }
  }

  ImageBytes bytes_;
};

struct PnmForm {
  bool is_plain;
  bool is_bitmap;
  int64_t channels;
  int64_t max;  // the sample that is white
};

uint8_t Scaled(int64_t sample, int64_t max) {
  if (max == 255) return static_cast<uint8_t>(sample);
  return static_cast<uint8_t>((sample * 255 + max / 2) / max);
}

// Reads one row of plain samples.
bool ReadPlainRow(PnmReader& reader, const PnmForm& form, int64_t width, uint8_t* rgb,
                  ImageWriter& out) {
  for (int64_t x = 0; x < width; ++x) {
    for (int64_t c = 0; c < form.channels; ++c) {
      auto sample = form.is_bitmap ? reader.Bit() : reader.Number();
      if (!sample || *sample > form.max) {
        return out.Reject(Cat("expected samples from 0 to ", form.max, " in all rows"));
      }
      rgb[3 * x + c] = Scaled(form.is_bitmap ? 1 - *sample : *sample, form.max);
    }
  }
  return true;
}

bool ReadBinaryRow(const uint8_t* from, const PnmForm& form, int64_t width, uint8_t* rgb,
                   ImageWriter& out) {
  for (int64_t x = 0; x < width; ++x) {
    for (int64_t c = 0; c < form.channels; ++c) {
      int64_t sample = 0;
      if (form.is_bitmap) {
        sample = 1 - ((from[x / 8] >> (7 - x % 8)) & 1);
      } else if (form.max < 256) {
        sample = from[x * form.channels + c];
      } else {
        const uint8_t* two = from + 2 * (x * form.channels + c);
        sample = (int64_t{two[0]} << 8) | two[1];
      }
      if (sample > form.max) {
        return out.Reject(Cat("expected samples from 0 to ", form.max, ", found ", sample));
      }
      rgb[3 * x + c] = Scaled(sample, form.max);
    }
  }
  return true;
}

// Copies the gray sample of each pixel to the other channels.
void SpreadGray(uint8_t* rgb, int64_t width) {
  for (int64_t x = 0; x < width; ++x) rgb[3 * x + 1] = rgb[3 * x + 2] = rgb[3 * x];
}

}  // namespace

bool DecodePnm(ImageBytes bytes, ImageWriter& out) {
  const int kind = bytes[1] - '0';  // 1 to 6, as the caller checked
  PnmReader reader(bytes.subspan(2));
  PnmForm form = {kind <= 3, kind == 1 || kind == 4, kind == 3 || kind == 6 ? 3 : 1, 1};
  auto width = reader.Number();
  auto height = reader.Number();
  auto max = form.is_bitmap ? std::optional<int64_t>(1) : reader.Number();
  if (!width || !height || !max || *max < 1 || *max > 65535 || !reader.SkipOneSpace()) {
    return out.Reject(
        "expected a header of width, height, and a largest sample from 1 to 65535 except in "
        "bitmaps");
  }
  form.max = *max;
  if (*width < 1 || *height < 1) return out.Reject("expected at least one pixel, found none");
  // Numbers of the header are at most 2^31, so that the sizes of a row cannot overflow.
  int64_t row_bytes = *width * form.channels * (form.max < 256 ? 1 : 2);
  if (form.is_bitmap) row_bytes = form.is_plain ? *width : (*width + 7) / 8;
  // A plain sample takes at least one digit and one byte between it and the next.
  if (form.is_plain && !form.is_bitmap) row_bytes = *width * form.channels * 2;
  const auto found = static_cast<int64_t>(reader.rest().size());
  // The last plain sample may end with the file.
  if (*height > (found + (form.is_plain ? 1 : 0)) / row_bytes) {
    return out.Reject(Cat("expected ", *height, " rows of at least ", row_bytes, " bytes, found ",
                          found, " bytes; the image may be truncated"));
  }
  if (!out.Begin(*width, *height, {})) return false;
  const uint8_t* from = reader.rest().data();
  for (int64_t y = 0; y < *height; ++y, from += row_bytes) {
    uint8_t* rgb = out.row(y);
    const bool read = form.is_plain ? ReadPlainRow(reader, form, *width, rgb, out)
                                    : ReadBinaryRow(from, form, *width, rgb, out);
    if (!read) return false;
    if (form.channels == 1) SpreadGray(rgb, *width);
    if (!out.Finish(y)) return false;
  }
  return true;
}

}  // namespace signet
