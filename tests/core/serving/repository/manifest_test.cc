#include "core/serving/repository/manifest.h"

#include <gtest/gtest.h>

#include "core/serving/repository/folder_stamp.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

class ManifestTest : public testing::Test {
 protected:
  ManifestTest() {
    folder_.Write("model.signet", "abc");
    folder_.Write("assets/words.txt", "soup");
    folder_.Write(".hidden", "x");
    folder_.Write("settings.textproto", "x");
    auto manifest = MakeManifest(SystemFiles(), folder_.path());
    EXPECT_TRUE(manifest.ok()) << manifest.status();
    manifest_ = *manifest;
    folder_.Write("manifest.json", *ManifestToJson(manifest_));
  }

  std::string Difference() const {
    return std::string(MessageOf(CheckManifest(SystemFiles(), folder_.path())));
  }

  TemporaryFolder folder_;
  v1::Manifest manifest_;
};

TEST_F(ManifestTest, ListsFilesWithSizesAndChecksums) {
  ASSERT_EQ(manifest_.files_size(), 2);
  EXPECT_EQ(manifest_.files(0).path(), "assets/words.txt");
  EXPECT_EQ(manifest_.files(1).size(), 3);
  // From `printf abc | sha256sum`.
  EXPECT_EQ(manifest_.files(1).sha256(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_TRUE(CheckManifest(SystemFiles(), folder_.path()).ok());
  EXPECT_TRUE(MatchesManifestSizes(SystemFiles(), folder_.path()));
}

TEST_F(ManifestTest, FindsEachDifference) {
  folder_.Write("model.signet", "abd");
  EXPECT_TRUE(MatchesManifestSizes(SystemFiles(), folder_.path()));
  EXPECT_TRUE(Difference().starts_with("manifest.json: `model.signet`: expected the SHA-256"));
  folder_.Write("model.signet", "ab");
  EXPECT_EQ(Difference(), "manifest.json: `model.signet`: expected 3 bytes, found 2");
  EXPECT_FALSE(MatchesManifestSizes(SystemFiles(), folder_.path()));
  folder_.Write("model.signet", "abc");
  folder_.Write("more.bin", "");
  EXPECT_EQ(Difference(), "manifest.json: expected no other files, found `more.bin`");
  std::filesystem::remove(folder_.path() / "more.bin");
  std::filesystem::remove(folder_.path() / "assets/words.txt");
  EXPECT_EQ(Difference(), "manifest.json: `assets/words.txt`: file not found");
  std::filesystem::remove(folder_.path() / "manifest.json");
  EXPECT_TRUE(CheckManifest(SystemFiles(), folder_.path()).ok());
}

TEST_F(ManifestTest, RejectsWrongManifests) {
  for (const char* text :
       {"", "{", "{}", "{\"formatVersion\": 2}", "{\"formatVersion\": 1, \"what\": 2}",
        "{\"formatVersion\": 1, \"files\": [{\"path\": \"../x\"}]}",
        "{\"formatVersion\": 1, \"files\": [{\"path\": \"/etc/passwd\"}]}",
        "{\"formatVersion\": 1, \"files\": [{\"path\": \"\"}]}"}) {
    EXPECT_EQ(ParseManifest(text).status().code(), absl::StatusCode::kFailedPrecondition) << text;
  }
}

TEST_F(ManifestTest, RejectsLinksToDirectories) {
  std::filesystem::create_directory_symlink("/etc", folder_.path() / "etc");
  EXPECT_FALSE(MakeManifest(SystemFiles(), folder_.path()).ok());
}

TEST_F(ManifestTest, StampsShowChanges) {
  FolderStamp stamp = StampOf(SystemFiles(), folder_.path());
  EXPECT_TRUE(stamp.IsCurrent(SystemFiles()));
  EXPECT_TRUE(stamp.HasSameFiles(StampOf(SystemFiles(), folder_.path())));
  EXPECT_GT(stamp.TotalBytes(), 7);
  folder_.Write("settings.textproto", "longer");
  EXPECT_TRUE(stamp.HasSameFiles(StampOf(SystemFiles(), folder_.path())));
  folder_.Write("assets/words.txt", "soups");
  EXPECT_FALSE(stamp.IsCurrent(SystemFiles()));
  EXPECT_FALSE(stamp.HasSameFiles(StampOf(SystemFiles(), folder_.path())));
}

}  // namespace
}  // namespace signet
