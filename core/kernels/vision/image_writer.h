// ImageWriter: the output of an image decoder, which receives the rows of an image as RGB.
//
//   if (!out.Begin(width, height, {.library_bytes = 4 * width})) return false;
//   for (int64_t y = 0; y < height; ++y) {
//     ReadRow(out.row(y));                  // width pixels of red, green and blue
//     if (!out.Finish(y)) return false;     // converts the row to the requested pixel format
//   }
//
// Keeps the first error, and reports failure as false, because decoders are called from C libraries
// whose errors jump over frames: no object with a destructor may be alive there. Not thread-safe.

#pragma once

#include <cstdint>
#include <string_view>

#include "core/kernels/def/stop_poll.h"

namespace signet {

enum class PixelFormat : uint8_t { kRgb, kBgr, kGrayscale };

class ImageWriter {
 public:
  // Pixels of one image. Larger images are rejected before memory is allocated.
  static constexpr int64_t kMaxPixels = int64_t{1} << 26;

  struct Form {
    int64_t library_bytes = 0;  // memory that the library allocates while it decodes
    int64_t max_pixels = kMaxPixels;
    bool rows_in_any_order = false;  // all rows are kept until they are finished
  };

  // `format_name` appears in errors: "PNG".
  ImageWriter(KernelContext& context, PixelFormat pixel_format, const char* format_name)
      : context_(context), poll_(context), pixel_format_(pixel_format), format_name_(format_name) {}

  // Checks the size of the image, counts the memory of the library, and allocates the output.
  bool Begin(int64_t width, int64_t height, const Form& form);
  // Returns memory for the pixels of row `y`, 3 * width bytes. Unless rows come in any order, it
  // may be shared by all rows.
  uint8_t* row(int64_t y) { return rows_ + y * row_step_; }
  // Converts row `y` to the pixel format of the output. Call it once per row.
  bool Finish(int64_t y);
  // Counts about `nanoseconds` of work outside of Finish. Returns false if the call must end.
  bool Spend(int64_t nanoseconds);
  // Returns memory that lasts as long as the writer, or null after an error.
  uint8_t* Scratch(int64_t bytes);

  // Record why decoding failed, and return false. Later errors are ignored. Messages of libraries
  // may contain bytes of the image, so callers pass them through Printable.
  bool Reject(std::string_view fault);       // INVALID_ARGUMENT: the bytes
  bool Unsupported(std::string_view fault);  // UNIMPLEMENTED: a variant of the format
  bool Fail(Status status);

  bool ok() const { return status_.ok(); }
  const Status& status() const { return status_; }
  int64_t width() const { return width_; }
  int64_t height() const { return height_; }

 private:
  KernelContext& context_;
  StopPoll poll_;
  const PixelFormat pixel_format_;
  const char* const format_name_;
  int64_t width_ = 0;
  int64_t height_ = 0;
  uint8_t* output_ = nullptr;
  uint8_t* rows_ = nullptr;  // where decoders write
  int64_t row_step_ = 0;     // bytes from one row to the next; 0: all rows share memory
  Status status_;
};

}  // namespace signet
