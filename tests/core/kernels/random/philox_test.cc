#include "core/kernels/random/philox.h"

#include <gtest/gtest.h>

namespace signet {
namespace {

// The known answers of Random123, the authors' own library.
TEST(PhiloxTest, GivesTheKnownAnswers) {
  EXPECT_EQ(Philox({0, 0, 0, 0}, {0, 0}),
            (PhiloxBlock{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr uint32_t kOnes = 0xffffffff;
  EXPECT_EQ(Philox({kOnes, kOnes, kOnes, kOnes}, {kOnes, kOnes}),
            (PhiloxBlock{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(Philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (PhiloxBlock{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomStreamTest, HasANumberForEachPlace) {
  RandomStream stream(RandomStream::Kind::kUniform, -1);
  for (int64_t i : {int64_t{0}, int64_t{1}, int64_t{1} << 40}) {
    EXPECT_EQ(stream.Bits(i), stream.Pair(i / 2)[static_cast<size_t>(i % 2)]) << i;
  }
  EXPECT_NE(stream.Bits(0), stream.Bits(1));
  EXPECT_NE(stream.Bits(0), RandomStream(RandomStream::Kind::kNormal, -1).Bits(0));
  EXPECT_NE(stream.Bits(0), RandomStream(RandomStream::Kind::kUniform, 1).Bits(0));
  EXPECT_NE(stream.Bits(int64_t{1} << 33), stream.Bits(0));
}

TEST(UnitDoubleTest, StaysBelowOne) {
  EXPECT_EQ(UnitDouble(0), 0);
  EXPECT_LT(UnitDouble(~uint64_t{0}), 1);
}

}  // namespace
}  // namespace signet
