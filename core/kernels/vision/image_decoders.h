// Image decoders: one function per image format, which decodes untrusted bytes into an ImageWriter.
//
// Each decoder reads the header, calls ImageWriter::Begin before it allocates memory that depends
// on the header, and calls ImageWriter::Finish for every row. It returns false if the image was
// rejected or the call must end; the writer has the error. A decoder that needs a library is
// compiled only if CMake found the library (SIGNET_HAS_JPEG and similar macros in CMakeLists.txt).
// Thread-safe.

#pragma once

#include <cstdint>
#include <span>

#include "core/kernels/vision/image_writer.h"

namespace signet {

using ImageBytes = std::span<const uint8_t>;
using DecodeImageFn = bool (*)(ImageBytes bytes, ImageWriter& out);

bool DecodeBmp(ImageBytes bytes, ImageWriter& out);
bool DecodePnm(ImageBytes bytes, ImageWriter& out);
bool DecodeJpeg(ImageBytes bytes, ImageWriter& out);      // libjpeg-turbo
bool DecodeJpeg2000(ImageBytes bytes, ImageWriter& out);  // OpenJPEG
bool DecodePng(ImageBytes bytes, ImageWriter& out);       // libpng
bool DecodeTiff(ImageBytes bytes, ImageWriter& out);      // libtiff
bool DecodeWebp(ImageBytes bytes, ImageWriter& out);      // libwebp

}  // namespace signet
