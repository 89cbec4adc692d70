// DecodeJpeg: decodes JPEG images by libjpeg-turbo with its default settings: the accurate
// transform, and smooth upsampling of colors.
//
// The library reports an error by calling OnError, which must not return. OnError records the error
// and jumps back to ReadJpeg. No object in the stack frames of ReadJpeg and the library has a
// destructor.

#include <csetjmp>
#include <cstdio>
#include <jpeglib.h>
// The error codes depend on jpeglib.h.
#include <jerror.h>

#include "core/kernels/vision/image_decoders.h"

namespace signet {
namespace {

// Progressive images have about ten scans. Each scan takes the time of a whole image, even if it
// has few bytes.
constexpr int kMaxScans = 100;
constexpr int64_t kJpegFixedBytes = int64_t{1} << 20;
constexpr int64_t kJpegBytesPerColumn = 1024;  // rows of blocks before and after upsampling

struct JpegJob {
  jpeg_decompress_struct info = {};
  jpeg_error_mgr errors = {};
  jpeg_progress_mgr progress = {};
  std::jmp_buf jump = {};
  ImageBytes bytes;
  ImageWriter* out = nullptr;
  uint8_t* cmyk = nullptr;  // one row
};

JpegJob& JobOf(j_common_ptr info) { return *static_cast<JpegJob*>(info->client_data); }

[[noreturn]] void Leave(JpegJob& job) {
  // NOLINTNEXTLINE(cert-err52-cpp): the library has no other way to return after an error
  std::longjmp(job.jump, 1);
}

[[noreturn]] void OnError(j_common_ptr info) {
  JpegJob& job = JobOf(info);
  char message[JMSG_LENGTH_MAX] = {};
  info->err->format_message(info, message);
  job.out->Reject(Printable(message));
  Leave(job);
}

// Treats warnings about missing or wrong pixels as errors.
void OnMessage(j_common_ptr info, int level) {
  if (level >= 0) return;
  switch (info->err->msg_code) {
    case JWRN_JPEG_EOF:
    case JWRN_HIT_MARKER:
    case JWRN_HUFF_BAD_CODE:
    case JWRN_ARITH_BAD_CODE:
      OnError(info);
    default:
      break;
  }
}

void OnOutput(j_common_ptr) {}

// Called for each row of blocks of each scan.
void OnProgress(j_common_ptr info) {
  JpegJob& job = JobOf(info);
  if (job.info.input_scan_number > kMaxScans) {
    job.out->Reject("expected at most 100 scans");
    Leave(job);
  }
  if (!job.out->Spend(int64_t{job.info.image_width} * 40)) Leave(job);
}

int64_t LibraryBytes(jpeg_decompress_struct& info) {
  int64_t bytes = kJpegFixedBytes + kJpegBytesPerColumn * int64_t{info.image_width};
  if (jpeg_has_multiple_scans(&info) == FALSE) return bytes;
  for (int i = 0; i < info.num_components; ++i) {  // coefficients of the whole image
    const jpeg_component_info& component = info.comp_info[i];
    const int64_t blocks = (int64_t{component.width_in_blocks} + component.h_samp_factor) *
                           (int64_t{component.height_in_blocks} + component.v_samp_factor);
    bytes += blocks * int64_t{sizeof(JBLOCK)};
  }
  return bytes;
}

// Converts `cmyk`, in which 0 means no ink, or 255 if `is_inverted`, as in the files of Adobe's
// programs.
void ConvertCmyk(const uint8_t* cmyk, int64_t width, bool is_inverted, uint8_t* rgb) {
  for (int64_t x = 0; x < width; ++x) {
    for (int64_t c = 0; c < 3; ++c) {
      const uint32_t ink = cmyk[4 * x + c];
      const uint32_t key = cmyk[4 * x + 3];
      const uint32_t light = is_inverted ? ink * key : (255 - ink) * (255 - key);
      rgb[3 * x + c] = static_cast<uint8_t>((light + 127) / 255);
    }
  }
}

bool ReadJpeg(JpegJob& job) {
  // NOLINTNEXTLINE(cert-err52-cpp): see OnError
  if (setjmp(job.jump) != 0) return false;
  jpeg_decompress_struct& info = job.info;
  ImageWriter& out = *job.out;
  jpeg_create_decompress(&info);
  info.progress = &job.progress;
  jpeg_mem_src(&info, job.bytes.data(), job.bytes.size());
  jpeg_read_header(&info, TRUE);
  const bool is_cmyk = info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
  info.out_color_space = is_cmyk ? JCS_CMYK : JCS_RGB;
  if (!out.Begin(info.image_width, info.image_height, {.library_bytes = LibraryBytes(info)})) {
    return false;
  }
  if (is_cmyk && (job.cmyk = out.Scratch(4 * out.width())) == nullptr) return false;
  jpeg_start_decompress(&info);
  while (info.output_scanline < info.output_height) {
    const int64_t y = info.output_scanline;
    JSAMPROW row = is_cmyk ? job.cmyk : out.row(y);
    if (jpeg_read_scanlines(&info, &row, 1) != 1) return out.Reject("the image is truncated");
    if (is_cmyk) ConvertCmyk(job.cmyk, out.width(), info.saw_Adobe_marker != FALSE, out.row(y));
    if (!out.Finish(y)) return false;
  }
  return true;
}

}  // namespace

bool DecodeJpeg(ImageBytes bytes, ImageWriter& out) {
  JpegJob job;
  job.bytes = bytes;
  job.out = &out;
  job.info.err = jpeg_std_error(&job.errors);
  job.info.client_data = &job;
  job.errors.error_exit = OnError;
  job.errors.emit_message = OnMessage;
  job.errors.output_message = OnOutput;
  job.progress.progress_monitor = OnProgress;
  const bool read = ReadJpeg(job);
  jpeg_destroy_decompress(&job.info);
  return read;
}

}  // namespace signet
