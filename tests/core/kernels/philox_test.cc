#include "core/kernels/philox.h"

#include <vector>

#include <gtest/gtest.h>

namespace signet {
namespace {

// The known answers of the authors' own library, Random123.
TEST(PhiloxTest, GivesTheNumbersOfItsAuthors) {
  EXPECT_EQ(Philox(0).At(Philox::Block{0, 0, 0, 0}),
            (Philox::Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(Philox(~uint64_t{0}).At(Philox::Block{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}),
            (Philox::Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(
      Philox(0x299f31d0a4093822).At(Philox::Block{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}),
      (Philox::Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(PhiloxTest, DrawsTheBlocksInOrder) {
  PhiloxStream stream(5);
  for (uint64_t counter = 0; counter < 3; ++counter) {
    Philox::Block block = Philox(5).At(counter);
    EXPECT_EQ(stream.Next(), uint64_t{block[0]} << 32 | block[1]);
    EXPECT_EQ(stream.Next(), uint64_t{block[2]} << 32 | block[3]);
  }
}

TEST(PhiloxTest, DrawsAllNumbersBelowACount) {
  PhiloxStream stream(1);
  std::vector<int> seen(6);
  for (int i = 0; i < 6000; ++i) ++seen[stream.Below(6)];
  for (int times : seen) EXPECT_NEAR(times, 1000, 150);
  EXPECT_EQ(stream.Below(1), 0U);
}

}  // namespace
}  // namespace signet
