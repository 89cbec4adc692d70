#include "client/cli/load.h"

#include <gtest/gtest.h>

namespace signet {
namespace {

using std::chrono::milliseconds;

TEST(LoadTest, ChecksAtTheEndWhetherItIsOver) {
  const std::chrono::steady_clock::time_point start{};
  struct Row {
    milliseconds now;
    milliseconds end;
    milliseconds expected;
  };
  const Row kRows[] = {
      {milliseconds(0), milliseconds(300), milliseconds(300)},
      {milliseconds(0), milliseconds(1000), milliseconds(1000)},
      {milliseconds(0), milliseconds(2500), milliseconds(1000)},
      {milliseconds(2000), milliseconds(2500), milliseconds(2500)},
      // After the end, the last calls wake it.
      {milliseconds(2500), milliseconds(2500), milliseconds(3500)},
      {milliseconds(2600), milliseconds(2500), milliseconds(3600)},
  };
  for (const Row& row : kRows) {
    EXPECT_EQ(NextCheck(start + row.now, start + row.end), start + row.expected)
        << row.now.count() << " of " << row.end.count();
  }
}

TEST(LoadTest, PausesLongerAfterEachRejection) {
  EXPECT_EQ(PauseAfter(1), milliseconds(10));
  EXPECT_EQ(PauseAfter(2), milliseconds(20));
  for (int rejections = 2; rejections < 10; ++rejections) {
    EXPECT_GE(PauseAfter(rejections), PauseAfter(rejections - 1));
  }
  EXPECT_EQ(PauseAfter(1000000), milliseconds(1000));
}

}  // namespace
}  // namespace signet
