#include "server/protocols/signet/capture_upload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

int NumFiles(const fs::path& folder) {
  return static_cast<int>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(CaptureUploadTest, RemovesAFileThatWasNotMoved) {
  TemporaryFolder folder;
  {
    auto upload = CaptureUpload::Begin(folder.path(), 10);
    ASSERT_TRUE(upload.ok()) << upload.status();
    ASSERT_TRUE(upload->Append("12345").ok());
    EXPECT_EQ(ReadWholeFile(upload->path()), "12345");
    EXPECT_TRUE(upload->path().filename().string().starts_with("."));
  }
  EXPECT_EQ(NumFiles(folder.path()), 0);
}

TEST(CaptureUploadTest, MovesAFile) {
  TemporaryFolder folder;
  folder.Write("captures.safetensors", "old");
  {
    auto upload = CaptureUpload::Begin(folder.path(), 10);
    ASSERT_TRUE(upload.ok()) << upload.status();
    ASSERT_TRUE(upload->Append("new").ok());
    ASSERT_TRUE(upload->MoveTo(folder.path() / "captures.safetensors").ok());
  }
  EXPECT_EQ(ReadWholeFile(folder.path() / "captures.safetensors"), "new");
  EXPECT_EQ(NumFiles(folder.path()), 1);
}

TEST(CaptureUploadTest, RejectsMoreBytesThanTheLimit) {
  TemporaryFolder folder;
  auto upload = CaptureUpload::Begin(folder.path(), 10);
  ASSERT_TRUE(upload.ok()) << upload.status();
  EXPECT_TRUE(upload->Append("1234567890").ok());
  const Status status = upload->Append("1");
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(status.message()), testing::HasSubstr("more than the 10 bytes"));
  EXPECT_EQ(upload->num_bytes(), 10);
}

TEST(CaptureUploadTest, RejectsADirectoryThatDoesNotExist) {
  EXPECT_EQ(CaptureUpload::Begin("/no/such/directory", 10).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace signet
