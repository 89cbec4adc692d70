#include "core/formats/safetensors/safetensors.h"

#include <cstring>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace signet {
namespace {

using ::testing::HasSubstr;

std::filesystem::path TemporaryPath(std::string_view name) {
  return std::filesystem::path(::testing::TempDir()) /
         Cat("safetensors_test_", ::getpid(), "_", name);
}

// A file's bytes: header and content.
std::string FileOf(std::string header, const std::string& content = "") {
  uint64_t size = header.size();
  return std::string(reinterpret_cast<const char*>(&size), 8) + header + content;
}

StatusOr<NamedTensors> Parse(const std::string& bytes) {
  auto owner = std::make_shared<Buffer>(Buffer::Copy(bytes));
  return ParseSafetensors(owner->bytes(), owner);
}

TEST(SafetensorsTest, ReadsBackWhatItWrites) {
  NamedTensors tensors = {{"a \"b\"", Tensor::Of<uint8_t>({3}, {1, 2, 3})},
                          {"bf", Tensor::Of<BFloat16>({1}, {BFloat16{0x3f80}})},
                          {"empty", Tensor::Of<float>({0, 2}, {})},
                          {"f16", Tensor::Of<Float16>({}, {Float16{0x3c00}})},
                          {"flag", Tensor::Of<bool>({2}, {true, false})},
                          {"w", Tensor::Of<float>({2, 2}, {1, 2, 3, 4})},
                          {"x", Tensor::Of<int64_t>({1}, {-1})}};
  auto path = TemporaryPath("round_trip");
  ASSERT_TRUE(WriteSafetensors(path, tensors).ok());
  auto read = MapSafetensors(path);
  std::filesystem::remove(path);
  ASSERT_TRUE(read.ok()) << read.status();
  const NamedTensors& found = read->tensors;
  ASSERT_EQ(found.size(), tensors.size());
  for (size_t i = 0; i < tensors.size(); ++i) {
    EXPECT_EQ(found[i].first, tensors[i].first);
    EXPECT_TRUE(SameTensor(found[i].second, tensors[i].second)) << tensors[i].first;
  }
}

TEST(SafetensorsTest, BorrowsTheMapping) {
  auto path = TemporaryPath("borrow");
  ASSERT_TRUE(WriteSafetensors(path, {{"w", Tensor::Of<float>({2}, {1, 2})}}).ok());
  auto read = MapSafetensors(path);
  std::filesystem::remove(path);
  ASSERT_TRUE(read.ok());
  Tensor kept = read->tensors[0].second;
  *read = {};
  EXPECT_EQ(kept.elements<float>()[1], 2.0f);  // the mapping lives on
}

TEST(SafetensorsTest, CopiesASmallFile) {
  auto path = TemporaryPath("small");
  ASSERT_TRUE(WriteSafetensors(path, {{"w", Tensor::Of<float>({2}, {1, 2})}}).ok());
  auto read = MapSafetensors(path);
  ASSERT_TRUE(read.ok()) << read.status();
  std::filesystem::resize_file(path, 0);
  read->file->Release();
  EXPECT_EQ(read->tensors[0].second.elements<float>()[1], 2.0f);
  EXPECT_FALSE(read->file->is_damaged());
  std::filesystem::remove(path);
}

TEST(SafetensorsTest, OutlivesAFileCutShort) {
  auto path = TemporaryPath("cut");
  Tensor large = *Tensor::Allocate(DType::kFloat32, {1 << 16});
  std::fill_n(large.mutable_elements<float>(), 1 << 16, 1.0f);
  ASSERT_TRUE(WriteSafetensors(path, {{"w", large}}).ok());
  auto read = MapSafetensors(path);
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_FALSE(read->file->is_damaged());
  std::filesystem::resize_file(path, 4096);
  std::filesystem::remove(path);
  const Tensor& w = read->tensors[0].second;
  EXPECT_EQ(w.elements<float>()[0], 1.0f);
  EXPECT_FALSE(read->file->is_damaged());
  EXPECT_EQ(w.elements<float>()[(1 << 16) - 1], 0.0f);
  EXPECT_TRUE(read->file->is_damaged());
}

TEST(SafetensorsTest, ReadsWhatOthersWrite) {
  auto read = Parse(FileOf(
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F32","shape":[],"data_offsets":[2,6]},)"
      R"("a":{"dtype":"I16","shape":[1],"data_offsets":[0,2]}}  )",
      std::string("\x05\x00\x00\x00\x80\x3f", 6)));
  ASSERT_TRUE(read.ok()) << read.status();
  ASSERT_EQ(read->size(), 2u);
  EXPECT_EQ((*read)[0].second.scalar<int16_t>(), 5);
  EXPECT_EQ((*read)[1].second.scalar<float>(), 1.0f);
  EXPECT_TRUE(Parse(FileOf("{}")).ok());
}

TEST(SafetensorsTest, Rejects) {
  const struct {
    std::string bytes;
    const char* message;
  } rows[] = {
      {"", "found 0"},
      {"1234567", "found 7"},
      {std::string(8, '\xff'), "header: 18446744073709551615 bytes"},
      {std::string("\x09\0\0\0\0\0\0\0{}", 10), "header: 9 bytes exceed the 2 bytes that follow"},
      {FileOf(""), "header"},
      {FileOf("[]"), "header: expected a JSON object"},
      {FileOf("{"), "header"},
      {FileOf(std::string(5000, '[')), "header"},
      {FileOf("{\"a\":1}"), "tensor `a`: expected an object"},
      {FileOf("{\"a\":{}}"), "`dtype`"},
      {FileOf(R"({"a":{"dtype":"F32","shape":1,"data_offsets":[0,0]}})"), "`shape`"},
      {FileOf(R"({"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,0]}})"), "`shape`"},
      {FileOf(R"({"a":{"dtype":"F32","shape":[],"data_offsets":[0]}})"), "`data_offsets`"},
      {FileOf(R"({"a":{"dtype":"F32","shape":[],"data_offsets":[-1,0]}})"), "`data_offsets`"},
      {FileOf(R"({"a":{"dtype":"F8","shape":[],"data_offsets":[0,0]}})"),
       "unsupported dtype `F8`; supported dtypes: BOOL"},
      {FileOf(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})"),
       "end of the content, found 4"},
      {FileOf(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", "1234"),
       "expected 8 bytes of content for `float32[2]`, found 4"},
      {FileOf(R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", "1234"), "-1"},
      {FileOf(R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,4]}})",
              "1234"),
       "`a`"},
      {FileOf(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", "12345"),
       "expected tensors to end at byte 5, "},
      {FileOf(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})", "12345678"),
       "expected to begin at byte 0 of the content, where the previous tensor ends, found 4"},
      {FileOf(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
              R"("b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
              "123"),
       "expected to begin at byte 2 of the content, where the previous tensor ends, found 1"},
      {FileOf(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},)"
              R"("a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]}})"),
       "duplicate tensor `a`"},
      {FileOf(R"({"a":{"dtype":"BOOL","shape":[1],"data_offsets":[0,1]}})", "\x02"),
       "expected 0 or 1 for each `bool`"},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.bytes);
    auto read = Parse(row.bytes);
    EXPECT_EQ(read.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(MessageOf(read.status())), HasSubstr(row.message));
  }
}

TEST(SafetensorsTest, RejectsPathsThatAreNotFiles) {
  EXPECT_EQ(MapSafetensors(TemporaryPath("missing")).status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(MapSafetensors("/").ok());
  auto fifo = TemporaryPath("fifo");
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_FALSE(MapSafetensors(fifo).ok());
  std::filesystem::remove(fifo);
}

TEST(SafetensorsTest, WritesAllOrNothing) {
  const std::string_view text[] = {"a"};
  auto path = TemporaryPath("strings");
  EXPECT_EQ(WriteSafetensors(path, {{"s", Tensor::Strings({1}, text)}}).code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(WriteSafetensors("/no/such/folder/file", {}).ok());
}

}  // namespace
}  // namespace signet
