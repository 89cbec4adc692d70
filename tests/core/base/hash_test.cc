#include "core/base/hash.h"

#include <set>
#include <string>

#include <gtest/gtest.h>

namespace signet {
namespace {

TEST(HashTest, IsTheSameOnEveryMachine) {
  EXPECT_EQ(HashBytes(""), HashBytes(std::string()));
  EXPECT_EQ(HashBytes("signet"), HashBytes(std::string("signet")));
  static_assert(MixHash(1, 2) == MixHash(1, 2));
}

TEST(HashTest, TellsOrderLengthAndZeroBytesApart) {
  std::set<uint64_t> seen = {HashBytes(""),
                             HashBytes(std::string(1, '\0')),
                             HashBytes(std::string(8, '\0')),
                             HashBytes(std::string(9, '\0')),
                             HashBytes("ab"),
                             HashBytes("ba"),
                             MixHash(1, 2),
                             MixHash(2, 1),
                             MixHash(0, 0)};
  EXPECT_EQ(seen.size(), 9u);
}

}  // namespace
}  // namespace signet
