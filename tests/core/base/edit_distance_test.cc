#include "core/base/edit_distance.h"

#include <gtest/gtest.h>

namespace signet {
namespace {

TEST(EditDistanceTest, CountsTypingErrors) {
  EXPECT_EQ(EditDistance("", ""), 0u);
  EXPECT_EQ(EditDistance("title", "title"), 0u);
  EXPECT_EQ(EditDistance("title", ""), 5u);
  EXPECT_EQ(EditDistance("tittle", "title"), 1u);  // added
  EXPECT_EQ(EditDistance("titl", "title"), 1u);    // dropped
  EXPECT_EQ(EditDistance("tatle", "title"), 1u);   // replaced
  EXPECT_EQ(EditDistance("titel", "title"), 1u);   // swapped
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
}

}  // namespace
}  // namespace signet
