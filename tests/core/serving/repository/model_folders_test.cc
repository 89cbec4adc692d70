#include "core/serving/repository/model_folders.h"

#include <sys/stat.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

using testing::ElementsAre;

TEST(ModelFoldersTest, AcceptsPlainNames) {
  for (std::string name : {"m", "recipes-2", "a.b_C", "0"}) {
    EXPECT_TRUE(IsModelName(name)) << name;
  }
  EXPECT_TRUE(IsModelName(std::string(128, 'x')));
  EXPECT_FALSE(IsModelName(std::string(129, 'x')));
  for (std::string name : {"", ".", "..", ".git", "a/b", "../m", "a b", "m\n", "caf\xc3\xa9"}) {
    EXPECT_FALSE(IsModelName(name)) << name;
  }
  EXPECT_FALSE(IsModelName(std::string_view("a\0b", 3)));
}

TEST(ModelFoldersTest, AcceptsPlainVersions) {
  EXPECT_EQ(ParseVersion("1"), 1);
  EXPECT_EQ(ParseVersion("9223372036854775807"), INT64_MAX);
  for (const char* text :
       {"", "0", "01", "-1", "+1", "1.0", "1 ", " 1", "v1", "9223372036854775808"}) {
    EXPECT_FALSE(ParseVersion(text)) << text;
  }
}

std::vector<std::string> Describe(const ModelFolders& found) {
  std::vector<std::string> out;
  for (const VersionFolder& folder : found.versions) {
    out.push_back(Cat(folder.name, "/", folder.version, folder.status.ok() ? "" : ": ",
                      folder.status.ok() ? "" : MessageOf(folder.status)));
  }
  return out;
}

TEST(ModelFoldersTest, FindsVersionsInOrder) {
  TemporaryFolder root;
  root.Write("b/10/model.pb", "");
  root.Write("b/9/model.pb", "");
  root.Write("a/1/model.pb", "");
  root.Write("a/1/assets/words.txt", "");
  root.Write("README.md", "");
  root.Write("a/notes.txt", "");
  root.Write(".git/1/model.pb", "");
  auto found = FindModelFolders(SystemFiles(), root.path());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_THAT(Describe(*found), ElementsAre("a/1", "b/9", "b/10"));
  EXPECT_THAT(found->skipped, ElementsAre());
}

TEST(ModelFoldersTest, ReportsSkippedEntries) {
  TemporaryFolder root;
  root.Write("bad name/1/model.pb", "");
  root.Write("m/latest/model.pb", "");
  root.Write("m/01/model.pb", "");
  auto found = FindModelFolders(SystemFiles(), root.path());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_THAT(Describe(*found), ElementsAre());
  EXPECT_THAT(
      found->skipped,
      ElementsAre("`bad name`: expected a name of at most 128 letters, digits, `_`, `-`, and `.`",
                  "`m/01`: expected a version, which is a positive integer",
                  "`m/latest`: expected a version, which is a positive integer"));
}

TEST(ModelFoldersTest, ReadsAModelWithoutAVersionAsVersion1) {
  TemporaryFolder root;
  root.Write("plain/model.onnx", "");
  root.Write("plain/weights/w.bin", "");
  root.Write("both/model.onnx", "");
  root.Write("both/2/model.onnx", "");
  root.Write("twice/model.onnx", "");
  root.Write("twice/1/model.onnx", "");
  root.Write("native/model.pb", "");
  root.Write("text/model.signet", "");
  root.Write("text/captures.safetensors", "");
  root.Write("text/2/model.signet", "");
  root.Write("empty/notes.txt", "");
  auto found = FindModelFolders(SystemFiles(), root.path());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_THAT(Describe(*found), ElementsAre("both/1", "both/2", "native/1", "plain/1", "text/1",
                                            "text/2", "twice/1"));
  EXPECT_EQ(found->versions[0].folder.filename(), "both");
  EXPECT_EQ(found->versions[4].folder.filename(), "text");
  EXPECT_EQ(found->versions[6].folder.filename(), "1");
  EXPECT_THAT(
      found->skipped,
      ElementsAre("`empty`: expected a version directory such as `1`, or a file of a model such as "
                  "model.signet or model.onnx, found neither",
                  "`twice/model.onnx`: duplicate version 1; the directory `1` is also version 1"));
}

TEST(ModelFoldersTest, ReportsAModelWithoutADirectory) {
  TemporaryFolder root;
  for (const char* file : {"model.signet", "net.onnx", "notes.txt", "m/1/model.pb"}) {
    root.Write(file, "");
  }
  auto found = FindModelFolders(SystemFiles(), root.path());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_THAT(
      found->skipped,
      ElementsAre(
          "`model.signet`: expected a directory with the name of the model around this file",
          "`net.onnx`: expected a directory with the name of the model around this file"));
}

TEST(ModelFoldersTest, ReportsARootThatIsOneModelOrOneVersion) {
  TemporaryFolder folder;
  folder.Write("models/onnx/model.onnx", "");
  folder.Write("models/native/3/model.signet", "");
  folder.Write("models/native/4/model.pb", "");
  folder.Write("models/numbered/1/model.onnx", "");
  std::string models = std::filesystem::canonical(folder.path() / "models").string();
  const std::pair<const char*, const char*> kCases[] = {
      {"/onnx", "one version of a model: it contains the files of the model"},
      {"/native", "one model: it contains version directories"},
      {"/numbered", "one model: it contains version directories"},
      {"/native/3", "one version of a model: it contains the files of the model"},
      {"/numbered/1", "one version of a model: it contains the files of the model"},
  };
  for (const auto& [root, shape] : kCases) {
    auto found = FindModelFolders(SystemFiles(), models + root);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_THAT(Describe(*found), ElementsAre());
    EXPECT_THAT(
        found->misplaced,
        ElementsAre(Cat("`", models, root, "` looks like ", shape,
                        "; pass the directory of models that contains it, `", models, "`")));
  }
}

TEST(ModelFoldersTest, ReportsAFolderOfModelsWithinTheRoot) {
  TemporaryFolder root;
  root.Write("deeper/onnx/model.onnx", "");
  root.Write("deeper/native/3/model.signet", "");
  root.Write("good/1/model.pb", "");
  auto found = FindModelFolders(SystemFiles(), root.path());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_THAT(Describe(*found), ElementsAre("good/1"));
  std::string deeper = std::filesystem::canonical(root.path() / "deeper").string();
  EXPECT_THAT(found->misplaced,
              ElementsAre(Cat("`", deeper,
                              "` looks like a directory of models, not like one model; pass it as "
                              "--models, or move its models up")));
  EXPECT_THAT(found->skipped, ElementsAre());
}

// An operator may link the models, or the versions of one model, to a place outside of the root.
TEST(ModelFoldersTest, FollowsLinksThatAreEntriesOfTheRoot) {
  namespace fs = std::filesystem;
  TemporaryFolder volume;
  volume.Write("m/1/model.pb", "");
  volume.Write("m/1/assets/words.txt", "");
  volume.Write("m/2/model.pb", "");
  volume.Write("secret", "");
  fs::create_symlink("../../secret", volume.path() / "m/2/link");
  fs::create_symlink("../1/model.pb", volume.path() / "m/1/same.pb");
  TemporaryFolder root;
  fs::create_directory_symlink(volume.path() / "m", root.path() / "m");
  fs::create_directory_symlink(root.path(), volume.path() / "root");
  for (const fs::path& path : {root.path(), volume.path() / "root"}) {
    auto found = FindModelFolders(SystemFiles(), path);
    ASSERT_TRUE(found.ok()) << found.status();
    EXPECT_THAT(
        Describe(*found),
        ElementsAre("m/1",
                    "m/2: `link`: expected a link to a place inside the directory of models"));
    EXPECT_THAT(found->skipped, ElementsAre());
  }
  TemporaryFolder model;
  fs::create_directory_symlink(volume.path() / "m/1", model.path() / "1");
  auto versions = FindVersionFolders(SystemFiles(), model.path(), "named");
  ASSERT_TRUE(versions.ok()) << versions.status();
  EXPECT_THAT(Describe(*versions), ElementsAre("named/1"));
}

TEST(ModelFoldersTest, RejectsLinksOutOfTheRoot) {
  namespace fs = std::filesystem;
  TemporaryFolder outside;
  outside.Write("1/model.pb", "secret");
  TemporaryFolder root;
  root.Write("store/1/model.pb", "");
  root.Write("m/5/model.pb", "");
  fs::create_directory_symlink("missing", root.path() / "outside");
  fs::create_directory_symlink(outside.path() / "1", root.path() / "m" / "1");
  fs::create_directories(root.path() / "m" / "2");
  fs::create_symlink(outside.path() / "1" / "model.pb", root.path() / "m" / "2" / "model.pb");
  fs::create_directories(root.path() / "m" / "3");
  fs::create_directory_symlink("../3", root.path() / "m" / "3" / "loop");
  fs::create_directory_symlink(root.path() / "store" / "1", root.path() / "m" / "4");
  fs::create_directory_symlink("nowhere", root.path() / "m" / "6");
  auto found = FindModelFolders(SystemFiles(), root.path());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_THAT(
      Describe(*found),
      ElementsAre("m/1: expected a link to a directory inside the directory of models",
                  "m/2: `model.pb`: expected a link to a place inside the directory of models",
                  testing::StartsWith("m/3: `loop`: `loop`: `loop`: "), "m/4", "m/5",
                  "m/6: expected a link to a directory inside the directory of models", "store/1"));
  EXPECT_THAT(found->skipped,
              ElementsAre("`outside`: expected a directory, found a link to a place "
                          "that does not exist"));
}

TEST(ModelFoldersTest, RejectsWhatIsNotAFile) {
  TemporaryFolder root;
  std::filesystem::create_directories(root.path() / "m" / "1");
  ASSERT_EQ(::mkfifo((root.path() / "m" / "1" / "model.pb").c_str(), 0600), 0);
  auto found = FindModelFolders(SystemFiles(), root.path());
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_THAT(Describe(*found),
              ElementsAre("m/1: `model.pb`: expected a regular file or a directory"));
}

TEST(ModelFoldersTest, RejectsTooManyFiles) {
  TemporaryFolder root;
  for (int i = 0; i < 5000; ++i) {
    root.Write(Cat("m/1/", i), "");
    root.Write(Cat("m/1/more/", i), "");
  }
  auto found = FindModelFolders(SystemFiles(), root.path());  // 10,001 entries with the directory
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_THAT(Describe(*found),
              ElementsAre(testing::HasSubstr("the number of files exceeds the limit of 10000")));
  std::filesystem::remove(root.path() / "m/1/more/0");
  EXPECT_THAT(Describe(*FindModelFolders(SystemFiles(), root.path())), ElementsAre("m/1"));
}

TEST(ModelFoldersTest, RequiresADirectory) {
  TemporaryFolder root;
  root.Write("file", "");
  for (const char* name : {"file", "nowhere"}) {
    EXPECT_EQ(FindModelFolders(SystemFiles(), root.path() / name).status().code(),
              absl::StatusCode::kNotFound);
  }
}

}  // namespace
}  // namespace signet
