#include "core/kernels/vision/image_writer.h"

#include <utility>

namespace signet {
namespace {

// The approximate time that a library needs per pixel.
constexpr int64_t kPixelNanoseconds = 8;

// Returns the luma of ITU-R 601 in fixed point, rounded. It is equal to Pillow's convert("L"),
// which produced the test data of the ONNX standard.
uint8_t Luma(const uint8_t* rgb) {
  const uint32_t luma = 19595U * rgb[0] + 38470U * rgb[1] + 7471U * rgb[2];
  return static_cast<uint8_t>((luma + 0x8000U) >> 16);
}

}  // namespace

bool ImageWriter::Begin(int64_t width, int64_t height, const Form& form) {
  if (width < 1 || height < 1) return Reject("expected at least one pixel, found none");
  // Divides, since the product may overflow.
  if (height > form.max_pixels / width) {
    return Fail(ResourceExhausted("input 0: ", format_name_, ": ", width, " x ", height,
                                  " pixels exceed the limit of ", form.max_pixels));
  }
  width_ = width;
  height_ = height;
  if (Status counted = context_.CountBytes(static_cast<size_t>(form.library_bytes));
      !counted.ok()) {
    return Fail(std::move(counted));
  }
  const bool is_gray = pixel_format_ == PixelFormat::kGrayscale;
  const int64_t channels = is_gray ? 1 : 3;
  auto output = context_.Allocate(0, {height, width, channels});
  if (!output.ok()) return Fail(output.status());
  output_ = (*output)->mutable_elements<uint8_t>();
  rows_ = output_;
  row_step_ = 3 * width;
  if (!is_gray) return true;
  rows_ = Scratch(3 * width * (form.rows_in_any_order ? height : 1));
  if (!form.rows_in_any_order) row_step_ = 0;
  return rows_ != nullptr;
}

bool ImageWriter::Finish(int64_t y) {
  uint8_t* rgb = row(y);
  if (pixel_format_ == PixelFormat::kBgr) {
    for (int64_t x = 0; x < width_; ++x) std::swap(rgb[3 * x], rgb[3 * x + 2]);
  } else if (pixel_format_ == PixelFormat::kGrayscale) {
    uint8_t* gray = output_ + y * width_;
    for (int64_t x = 0; x < width_; ++x) gray[x] = Luma(rgb + 3 * x);
  }
  return Spend(width_ * kPixelNanoseconds);
}

bool ImageWriter::Spend(int64_t nanoseconds) {
  if (!poll_.Stops(nanoseconds)) return ok();
  return Fail(context_.CheckStop());
}

uint8_t* ImageWriter::Scratch(int64_t bytes) {
  auto memory = context_.Scratch(static_cast<size_t>(bytes));
  if (memory.ok()) return reinterpret_cast<uint8_t*>(*memory);
  Fail(memory.status());
  return nullptr;
}

bool ImageWriter::Reject(std::string_view fault) {
  return Fail(WithConstraint("C3", InvalidArgument("input 0: ", format_name_, ": ", fault)));
}

bool ImageWriter::Unsupported(std::string_view fault) {
  return Fail(Unimplemented("input 0: ", format_name_, ": ", fault));
}

bool ImageWriter::Fail(Status status) {
  if (status_.ok()) status_ = std::move(status);
  return false;
}

}  // namespace signet
