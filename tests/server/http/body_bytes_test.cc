#include "server/http/body_bytes.h"

#include <cstring>

#include <gtest/gtest.h>

namespace signet {
namespace {

TEST(BodyBytesTest, GrowsUpToItsLimitAndTheBudget) {
  auto budget = std::make_shared<ByteBudget>(100);
  BodyBytes body(budget);
  EXPECT_TRUE(body.Grow(/*limit=*/1000, /*first=*/40));
  EXPECT_EQ(body.room(), 40U);
  std::memset(body.end(), 'x', 40);
  body.Add(40);
  EXPECT_TRUE(body.Grow(1000, 40));
  EXPECT_EQ(body.room(), 40U);
  EXPECT_FALSE(body.Grow(1000, 40)) << "160 bytes exceed the budget";
  EXPECT_EQ(body.room(), 40U) << "the bytes stay as they are";
  BodyBytes other(budget);
  EXPECT_FALSE(other.Grow(1000, 30));
  EXPECT_TRUE(other.Grow(1000, 20));
}

TEST(BodyBytesTest, AlignsTheByteAtAnOffset) {
  auto budget = std::make_shared<ByteBudget>(1 << 20);
  BodyBytes body(budget);
  for (size_t offset : {0, 1, 15, 16, 131, 1000}) {
    body.AlignAt(offset);
    for (size_t filled = 0; filled < 100'000; filled += 100) {
      if (body.room() < 100) {
        ASSERT_TRUE(body.Grow(100'000));
      }
      std::memset(body.end(), static_cast<int>(filled / 100 % 128), 100);
      body.Add(100);
    }
    const Buffer taken = body.Take();
    ASSERT_EQ(taken.size(), 100'000U);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(taken.data() + offset) % BodyBytes::kAlignment, 0U);
    for (size_t i = 0; i < taken.size(); ++i) {
      ASSERT_EQ(static_cast<size_t>(taken.text()[i]), i / 100 % 128) << i;
    }
  }
}

TEST(BodyBytesTest, ABufferReturnsItsBytesToTheBudget) {
  auto budget = std::make_shared<ByteBudget>(64);
  BodyBytes body(budget);
  ASSERT_TRUE(body.Grow(64, 64));
  std::memcpy(body.end(), "text", 4);
  body.Add(4);
  Buffer taken = body.Take();
  EXPECT_EQ(taken.text(), "text");
  EXPECT_EQ(body.size(), 0U);
  Buffer part = taken.Slice(1, 2);
  taken = {};
  EXPECT_FALSE(body.Grow(64, 64)) << "the part keeps all bytes";
  part = {};
  EXPECT_TRUE(body.Grow(64, 64));
}

}  // namespace
}  // namespace signet
