// decode_image on untrusted bytes: truncated images, false sizes, and pixel formats that agree.

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/ops/catalog.h"
#include "tests/core/kernels/kernel_runner.h"

namespace signet {
namespace {

StatusOr<Tensor> Decode(std::string_view bytes, std::string_view pixel_format = "rgb") {
  const OpDef& op = **BuiltinOps().Find("decode_image");
  const std::span<const uint8_t> elements(reinterpret_cast<const uint8_t*>(bytes.data()),
                                          bytes.size());
  const Tensor image = Tensor::Of<uint8_t>({static_cast<int64_t>(bytes.size())}, elements);
  const TypeSpec type = image.spec();
  const Attributes attributes({{"pixel_format", AttributeOf(pixel_format)}});
  SIGNET_ASSIGN_OR_RETURN(auto outputs, RunOp(op, attributes, {&image, 1}, {&type, 1}));
  return outputs[0];
}

struct EncodedImage {
  std::string name;
  std::string bytes;
};

// The seeds of the fuzz target, which have one byte before the image.
std::vector<EncodedImage> ReadImages() {
  std::vector<EncodedImage> images;
  for (const auto& entry : std::filesystem::directory_iterator("tests/fuzz/corpus/decode_image")) {
    std::ifstream file(entry.path(), std::ios::binary);
    std::string bytes(std::istreambuf_iterator<char>(file), {});
    images.push_back({entry.path().filename().string(), bytes.substr(1)});
  }
  std::sort(images.begin(), images.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return images;
}

bool IsUnsupportedHere(const StatusOr<Tensor>& decoded) {
  return absl::IsUnimplemented(decoded.status());  // built without the library
}

TEST(DecodeImageTest, PixelFormatsAgree) {
  int decoded = 0;
  for (const auto& [name, bytes] : ReadImages()) {
    SCOPED_TRACE(name);
    auto rgb = Decode(bytes);
    if (IsUnsupportedHere(rgb)) continue;
    ASSERT_TRUE(rgb.ok()) << rgb.status();
    auto bgr = Decode(bytes, "bgr");
    ASSERT_TRUE(bgr.ok()) << bgr.status();
    auto gray = Decode(bytes, "grayscale");
    ASSERT_TRUE(gray.ok()) << gray.status();
    ++decoded;
    ASSERT_EQ(gray->num_elements() * 3, rgb->num_elements());
    for (int64_t i = 0; i < gray->num_elements(); ++i) {
      const uint8_t* color = rgb->elements<uint8_t>().data() + 3 * i;
      const uint8_t* swapped = bgr->elements<uint8_t>().data() + 3 * i;
      ASSERT_EQ(color[0], swapped[2]);
      ASSERT_EQ(color[1], swapped[1]);
      ASSERT_EQ(color[2], swapped[0]);
      ASSERT_NEAR(gray->elements<uint8_t>()[static_cast<size_t>(i)],
                  0.299 * color[0] + 0.587 * color[1] + 0.114 * color[2], 0.51);
    }
  }
  EXPECT_GE(decoded, 8);  // BMP and PNM at least
}

// Each beginning of an image is rejected, or, without bytes after the pixels, is the same image.
TEST(DecodeImageTest, RejectsTruncatedImages) {
  for (const auto& [name, bytes] : ReadImages()) {
    auto whole = Decode(bytes);
    if (IsUnsupportedHere(whole)) continue;
    ASSERT_TRUE(whole.ok()) << name << ": " << whole.status();
    EXPECT_FALSE(Decode(std::string_view(bytes).substr(0, bytes.size() / 2)).ok()) << name;
    for (size_t size = 0; size < bytes.size(); ++size) {
      auto part = Decode(std::string_view(bytes).substr(0, size));
      if (part.ok()) {
        EXPECT_TRUE(SameTensor(*part, *whole)) << name << " of " << size << " bytes";
      } else {
        EXPECT_TRUE(absl::IsInvalidArgument(part.status()) ||
                    absl::IsResourceExhausted(part.status()) ||
                    absl::IsUnimplemented(part.status()))
            << name << ": " << part.status();
      }
    }
  }
}

std::string WithBytes(std::string bytes, size_t at, std::string_view replacement) {
  return bytes.replace(at, replacement.size(), replacement);
}

std::string BytesOf(std::string_view name) {
  for (const auto& image : ReadImages()) {
    if (image.name == name) return image.bytes;
  }
  return "";
}

// Small files whose headers claim 16,384 x 16,384 pixels or more.
TEST(DecodeImageTest, RejectsSizesBeforeAllocating) {
  using namespace std::string_view_literals;
  const size_t frame = BytesOf("flat.jpg").find("\xff\xc0"sv);
  ASSERT_NE(frame, std::string::npos);
  const std::pair<const char*, std::string> bombs[] = {
      {"JPEG", WithBytes(BytesOf("flat.jpg"), frame + 5, "\x9c\x40\x9c\x40"sv)},
      // The size of the image, its offset, and the size of tiles.
      {"JPEG 2000", WithBytes(BytesOf("pixels.j2k"), 8,
                              "\0\0\x9c\x40\0\0\x9c\x40\0\0\0\0\0\0\0\0"
                              "\0\0\x9c\x40\0\0\x9c\x40"sv)},
      {"PNG", std::string(
                  "\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52\x00\x00\x9c\x40"
                  "\x00\x00\x9c\x40\x08\x02\x00\x00\x00\xde\x6e\x99\x52\x00\x00\x00\x0b\x49\x44\x41"
                  "\x54\x78\x9c\x63\x60\x80\x01\x00\x00\x0a\x00\x01\x7f\x80\x74\x5e"sv)},
      {"WebP",
       std::string(
           "\x52\x49\x46\x46\x16\x00\x00\x00\x57\x45\x42\x50\x56\x50\x38\x4c\x0a\x00\x00\x00"
           "\x2f\xff\xff\xff\x0f\x00\x00\x00\x00\x00"sv)},
      {"TIFF",
       std::string(
           "\x49\x49\x2a\x00\x10\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x09\x00\x00\x01"
           "\x04\x00\x01\x00\x00\x00\x40\x9c\x00\x00\x01\x01\x04\x00\x01\x00\x00\x00\x40\x9c"
           "\x00\x00\x02\x01\x03\x00\x01\x00\x00\x00\x08\x00\x00\x00\x03\x01\x03\x00\x01\x00"
           "\x00\x00\x01\x00\x00\x00\x06\x01\x03\x00\x01\x00\x00\x00\x01\x00\x00\x00\x11\x01"
           "\x04\x00\x01\x00\x00\x00\x08\x00\x00\x00\x15\x01\x03\x00\x01\x00\x00\x00\x01\x00"
           "\x00\x00\x16\x01\x04\x00\x01\x00\x00\x00\x40\x9c\x00\x00\x17\x01\x04\x00\x01\x00"
           "\x00\x00\x08\x00\x00\x00\x00\x00\x00\x00"sv)},
  };
  for (const auto& [name, bytes] : bombs) {
    auto decoded = Decode(bytes);
    if (IsUnsupportedHere(decoded)) continue;
    EXPECT_TRUE(absl::IsResourceExhausted(decoded.status())) << name << ": " << decoded.status();
  }
  // Formats whose pixels are not compressed have as many bytes as their header says.
  for (const std::string& bytes :
       {std::string("P6 40000 40000 255 x"), std::string("P1 40000 40000 x"),
        WithBytes(BytesOf("pixels.bmp"), 18, "\x40\x9c\0\0\x40\x9c\0\0"sv)}) {
    EXPECT_TRUE(absl::IsInvalidArgument(Decode(bytes).status())) << Decode(bytes).status();
  }
}

// Bytes of images that are changed at random: no crash, and errors that tell the caller's fault.
TEST(DecodeImageTest, RejectsDamagedImages) {
  uint32_t state = 20261122;
  std::printf("seed %u\n", state);
  auto random = [&](size_t below) {
    state = state * 1664525U + 1013904223U;
    return static_cast<size_t>(state >> 8) % below;
  };
  for (const auto& [name, bytes] : ReadImages()) {
    for (int round = 0; round < 60; ++round) {
      std::string damaged = bytes;
      for (size_t i = 0; i <= random(4); ++i) {
        damaged[random(damaged.size())] = static_cast<char>(random(256));
      }
      const Status status = Decode(damaged).status();
      EXPECT_TRUE(status.ok() || absl::IsInvalidArgument(status) ||
                  absl::IsResourceExhausted(status) || absl::IsUnimplemented(status))
          << name << " round " << round << ": " << status;
    }
  }
}

}  // namespace
}  // namespace signet
