#include "server/transport/byte_buffers.h"

#include <grpcpp/support/slice.h>
#include <gtest/gtest.h>

namespace signet {
namespace {

std::string TextOf(const wire::Message& message) {
  std::string text;
  for (auto piece : message.pieces) {
    text.append(reinterpret_cast<const char*>(piece.data()), piece.size());
  }
  return text;
}

TEST(ByteBuffersTest, BorrowsLargePiecesAndJoinsSmallOnes) {
  std::string large(10'000, 'x');
  Buffer large_buffer = Buffer::Copy(large);
  const std::byte* place = large_buffer.data();
  grpc::ByteBuffer buffer = ByteBufferOf(wire::Pieces{
      Buffer::Copy("a"), Buffer::Copy("b"), std::move(large_buffer), Buffer::Copy("c"), Buffer()});
  wire::Message message = MessageOf(buffer);
  EXPECT_EQ(TextOf(message), "ab" + large + "c");
  ASSERT_EQ(message.pieces.size(), 3u);
  EXPECT_EQ(message.pieces[1].data(), place);
}

TEST(ByteBuffersTest, KeepsReceivedBytesAlive) {
  wire::Message message;
  {
    grpc::Slice slices[] = {grpc::Slice("short"), grpc::Slice(std::string(100, 'y'))};
    message = MessageOf(grpc::ByteBuffer(slices, 2));
  }
  EXPECT_EQ(TextOf(message), "short" + std::string(100, 'y'));
  {
    grpc::Slice slice("one");
    message = MessageOf(grpc::ByteBuffer(&slice, 1));
  }
  EXPECT_EQ(TextOf(message), "one");
}

TEST(ByteBuffersTest, AcceptsEmptyMessages) {
  EXPECT_EQ(TextOf(MessageOf(ByteBufferOf(wire::Pieces{}))), "");
  EXPECT_EQ(TextOf(MessageOf(grpc::ByteBuffer())), "");
}

TEST(ByteBuffersTest, KeepsTheHeldObjectUntilTheBytesAreReleased) {
  for (size_t size : {size_t{10}, size_t{100'000}}) {
    auto held = std::make_shared<int>(0);
    std::weak_ptr<int> watched = held;
    std::string text(size, 'x');
    {
      grpc::ByteBuffer buffer =
          ByteBufferOf({Buffer::Copy(text), Buffer::Copy("tail")}, std::move(held));
      EXPECT_EQ(buffer.Length(), size + 4);
      EXPECT_FALSE(watched.expired());
    }
    EXPECT_TRUE(watched.expired());
  }
}

}  // namespace
}  // namespace signet
