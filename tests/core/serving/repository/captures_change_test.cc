#include "core/serving/repository/captures_change.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

class CapturesChangeTest : public testing::Test {
 protected:
  CapturesChangeTest() {
    folder_.Write("model.signet", "model");
    folder_.Write("captures.safetensors", "old");
  }
  FolderStamp Stamp() const { return StampOf(SystemFiles(), folder_.path()); }

  TemporaryFolder folder_;
};

TEST_F(CapturesChangeTest, FindsNewCaptures) {
  const FolderStamp before = Stamp();
  EXPECT_FALSE(OnlyCapturesChanged(before, before));
  folder_.Write("captures.safetensors", "new values");
  EXPECT_TRUE(OnlyCapturesChanged(before, Stamp()));
  folder_.Write("manifest.json", "{}");
  EXPECT_TRUE(OnlyCapturesChanged(before, Stamp()));
}

TEST_F(CapturesChangeTest, RejectsOtherChanges) {
  const FolderStamp before = Stamp();
  folder_.Write("captures.safetensors", "new values");
  folder_.Write("model.signet", "another model");
  EXPECT_FALSE(OnlyCapturesChanged(before, Stamp()));
  folder_.Write("model.signet", "model");
  folder_.Write("descriptors.pb", "more");
  EXPECT_FALSE(OnlyCapturesChanged(before, Stamp()));
}

TEST_F(CapturesChangeTest, RejectsCapturesThatAppearOrDisappear) {
  const FolderStamp before = Stamp();
  std::filesystem::remove(folder_.path() / "captures.safetensors");
  const FolderStamp without = Stamp();
  EXPECT_FALSE(OnlyCapturesChanged(before, without));
  EXPECT_FALSE(OnlyCapturesChanged(without, before));
  EXPECT_FALSE(OnlyCapturesChanged({}, before));
}

}  // namespace
}  // namespace signet
