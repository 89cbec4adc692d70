// DecodePng: decodes PNG images by libpng. Ignores transparency, uses the upper 8 bits of 16-bit
// samples, and does not correct colors.
//
// The library reports an error by calling OnError, which must not return. OnError records the error
// and jumps back to ReadPng. No object in the stack frames of ReadPng and the library has a
// destructor.

#include <csetjmp>
#include <cstring>
#include <png.h>

#include "core/kernels/vision/image_decoders.h"

namespace signet {
namespace {

constexpr int64_t kPngFixedBytes = int64_t{1} << 18;
constexpr int64_t kPngBytesPerColumn = int64_t{4} * 8;  // a few rows of up to 8 bytes per pixel

struct PngJob {
  ImageBytes rest;  // the bytes that have not been read
  ImageWriter* out = nullptr;
  png_structp png = nullptr;
  png_infop info = nullptr;
};

[[noreturn]] void OnError(png_structp png, png_const_charp message) {
  static_cast<PngJob*>(png_get_error_ptr(png))->out->Reject(Printable(message));
  png_longjmp(png, 1);
}

void OnWarning(png_structp, png_const_charp) {}

void OnRead(png_structp png, png_bytep to, size_t count) {
  PngJob& job = *static_cast<PngJob*>(png_get_io_ptr(png));
  if (count > job.rest.size()) png_error(png, "the image is truncated");
  std::memcpy(to, job.rest.data(), count);
  job.rest = job.rest.subspan(count);
}

bool ReadPng(PngJob& job) {
  // NOLINTNEXTLINE(cert-err52-cpp): see OnError
  if (setjmp(png_jmpbuf(job.png)) != 0) return false;
  png_structp png = job.png;
  ImageWriter& out = *job.out;
  png_set_read_fn(png, &job, OnRead);
  // Other ancillary chunks than tRNS may be large, and are not needed.
  png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
  png_set_user_limits(png, ImageWriter::kMaxPixels, ImageWriter::kMaxPixels);
  png_read_info(png, job.info);
  const png_byte color = png_get_color_type(png, job.info);
  if (color == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
  if ((color & PNG_COLOR_MASK_COLOR) == 0) {
    png_set_expand_gray_1_2_4_to_8(png);
    png_set_gray_to_rgb(png);
  }
  png_set_strip_16(png);
  png_set_strip_alpha(png);
  const int passes = png_set_interlace_handling(png);
  const int64_t width = png_get_image_width(png, job.info);
  const int64_t height = png_get_image_height(png, job.info);
  if (!out.Begin(width, height,
                 {.library_bytes = kPngFixedBytes + kPngBytesPerColumn * width,
                  .rows_in_any_order = passes > 1})) {
    return false;
  }
  png_read_update_info(png, job.info);
  if (static_cast<int64_t>(png_get_rowbytes(png, job.info)) != 3 * width) {
    return out.Reject("expected pixels of red, green, and blue");
  }
  for (int pass = 0; pass < passes; ++pass) {
    for (int64_t y = 0; y < height; ++y) {
      png_read_row(png, out.row(y), nullptr);
      if (pass + 1 < passes ? !out.Spend(width * 4) : !out.Finish(y)) return false;
    }
  }
  return true;
}

}  // namespace

bool DecodePng(ImageBytes bytes, ImageWriter& out) {
  PngJob job = {.rest = bytes, .out = &out};
  job.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &job, OnError, OnWarning);
  if (job.png != nullptr) job.info = png_create_info_struct(job.png);
  const bool read = job.info != nullptr
                        ? ReadPng(job)
                        : out.Fail(ResourceExhausted("no memory to read a PNG image"));
  png_destroy_read_struct(&job.png, &job.info, nullptr);
  return read;
}

}  // namespace signet
