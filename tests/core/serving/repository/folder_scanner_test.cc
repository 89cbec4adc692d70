#include "core/serving/repository/folder_scanner.h"

#include <gtest/gtest.h>

#include "tests/core/serving/repository/model_texts.h"
#include "tests/support/temporary_folder.h"

namespace signet {
namespace {

constexpr std::chrono::hours kLong(1);
constexpr std::chrono::nanoseconds kNone(0);

TEST(FolderScannerTest, ReportsAModelWhoseDirectoryIsRemovedDuringScans) {
  TemporaryFolder root;
  root.Write("m/1/model.signet", ModelThatAdds(1));
  FolderScanner scanner({.folder = root.path()}, SystemFiles(), SystemTimers());
  auto scan = scanner.Scan(kNone);
  ASSERT_TRUE(scan.ok()) << scan.status();
  ASSERT_EQ(scan->models.size(), 1U);
  EXPECT_EQ(scan->models[0].versions.size(), 1U);

  std::filesystem::remove_all(root.path() / "m/1");
  scan = scanner.Scan(kLong);
  ASSERT_TRUE(scan.ok()) << scan.status();
  EXPECT_FALSE(scan->is_settled);

  std::filesystem::remove_all(root.path() / "m");
  scan = scanner.Scan(kNone);
  ASSERT_TRUE(scan.ok()) << scan.status();
  ASSERT_EQ(scan->models.size(), 1U);
  EXPECT_EQ(scan->models[0].name, "m");
  EXPECT_TRUE(scan->models[0].is_stable);
  EXPECT_TRUE(scan->models[0].versions.empty());

  scan = scanner.Scan(kNone);
  ASSERT_TRUE(scan.ok()) << scan.status();
  EXPECT_TRUE(scan->models.empty()) << "it is reported once";
}

}  // namespace
}  // namespace signet
