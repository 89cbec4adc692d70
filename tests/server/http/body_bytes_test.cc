#include "server/http/body_bytes.h"

#include <cstring>

#include <gtest/gtest.h>

namespace signet {
namespace {

TEST(BodyBytesTest, GrowsUpToItsLimitAndTheBudget) {
  auto budget = std::make_shared<BodyBudget>(100);
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

TEST(BodyBytesTest, ABufferReturnsItsBytesToTheBudget) {
  auto budget = std::make_shared<BodyBudget>(64);
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
