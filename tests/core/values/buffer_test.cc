#include "signet/buffer.h"

#include <cstring>

#include <gtest/gtest.h>

namespace signet {
namespace {

TEST(BufferTest, AllocatesAlignedAndRejectsTooMuch) {
  for (size_t size : {1u, 63u, 64u, 1000u}) {
    auto buffer = Buffer::Allocate(size);
    ASSERT_TRUE(buffer.ok());
    EXPECT_EQ(buffer->size(), size);
    EXPECT_TRUE(buffer->IsAligned(kBufferAlignment));
    std::memset(buffer->mutable_data(), 1, size);
  }
  EXPECT_TRUE(Buffer::Allocate(0)->empty());
  for (size_t size : {SIZE_MAX, SIZE_MAX / 2, SIZE_MAX / 2 + 1}) {
    EXPECT_EQ(Buffer::Allocate(size).status().code(), absl::StatusCode::kResourceExhausted);
  }
}

TEST(BufferTest, CopiesAndSlicesShareTheBytes) {
  Buffer buffer = Buffer::Copy("hello world");
  Buffer slice = buffer.Slice(6, 5);
  EXPECT_EQ(slice.text(), "world");
  EXPECT_EQ(slice.data(), buffer.data() + 6);
  buffer = Buffer();
  EXPECT_EQ(slice.text(), "world");
}

TEST(BufferTest, BorrowedMemoryLivesAsLongAsASlice) {
  auto owner = std::make_shared<std::string>("some text");
  std::weak_ptr<std::string> alive = owner;
  Buffer slice;
  {
    Buffer borrowed = Buffer::Borrow(std::as_bytes(std::span(*owner)), owner);
    slice = borrowed.Slice(5, 4);
    owner.reset();
  }
  EXPECT_FALSE(alive.expired());
  EXPECT_EQ(slice.text(), "text");
  EXPECT_TRUE(slice.is_owned());
  slice = Buffer();
  EXPECT_TRUE(alive.expired());
}

TEST(BufferTest, AViewOwnsNothing) {
  std::string text = "abc";
  EXPECT_FALSE(Buffer::View(std::as_bytes(std::span(text))).is_owned());
  EXPECT_TRUE(Buffer().is_owned());
}

TEST(BufferDeathTest, ASliceMustExist) {
  Buffer buffer = Buffer::Copy("abc");
  EXPECT_DEATH(buffer.Slice(2, 2), "check failed");
  EXPECT_DEATH(buffer.Slice(4, 0), "check failed");
}

}  // namespace
}  // namespace signet
