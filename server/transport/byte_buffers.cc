#include "server/transport/byte_buffers.h"

#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include <absl/container/inlined_vector.h>
#include <grpcpp/support/slice.h>

namespace signet {
namespace {

// Copying a smaller piece costs less than counting references to it.
constexpr size_t kBorrowedBytes = 4096;

std::span<const std::byte> BytesOf(const grpc::Slice& slice) {
  return {reinterpret_cast<const std::byte*>(slice.begin()), slice.size()};
}

// Returns a slice that keeps `buffer` and `held` until gRPC has sent it.
grpc::Slice Borrow(Buffer buffer, std::shared_ptr<void> held) {
  struct Kept {
    Buffer buffer;
    std::shared_ptr<void> held;
  };
  auto* kept = new Kept{std::move(buffer), std::move(held)};
  return grpc::Slice(
      const_cast<std::byte*>(kept->buffer.data()), kept->buffer.size(),
      [](void* done) { delete static_cast<Kept*>(done); }, kept);
}

void CopyTo(uint8_t* out, std::span<const Buffer> pieces) {
  for (const Buffer& piece : pieces) {
    if (piece.empty()) continue;
    std::memcpy(out, piece.data(), piece.size());
    out += piece.size();
  }
}

// Returns one slice with the bytes of all `pieces`.
grpc::Slice Copy(std::span<const Buffer> pieces, size_t size, const std::shared_ptr<void>& held) {
  if (held != nullptr) {
    auto bytes = std::make_shared<std::vector<uint8_t>>(size);
    CopyTo(bytes->data(), pieces);
    auto span = std::as_bytes(std::span(*bytes));
    return Borrow(Buffer::Borrow(span, std::move(bytes)), held);
  }
  grpc_slice slice = grpc_slice_malloc(size);
  CopyTo(GRPC_SLICE_START_PTR(slice), pieces);
  return grpc::Slice(slice, grpc::Slice::STEAL_REF);
}

}  // namespace

wire::Message MessageOf(const grpc::ByteBuffer& buffer) {
  wire::Message message;
  auto single = std::make_shared<grpc::Slice>();
  if (buffer.TrySingleSlice(single.get()).ok()) {
    message.pieces.push_back(BytesOf(*single));
    message.owner = std::move(single);
    return message;
  }
  // The spans must refer to the slices in the vector, because a short slice contains its bytes.
  auto slices = std::make_shared<std::vector<grpc::Slice>>();
  if (!buffer.Dump(slices.get()).ok()) slices->clear();
  message.pieces.reserve(slices->size());
  for (const grpc::Slice& slice : *slices) message.pieces.push_back(BytesOf(slice));
  message.owner = std::move(slices);
  return message;
}

grpc::ByteBuffer ByteBufferOf(wire::Pieces pieces, const std::shared_ptr<void>& held) {
  absl::InlinedVector<grpc::Slice, 8> slices;
  for (size_t i = 0; i < pieces.size();) {
    if (pieces[i].size() >= kBorrowedBytes) {
      slices.push_back(Borrow(std::move(pieces[i++]), held));
      continue;
    }
    size_t first = i;
    size_t size = 0;
    while (i < pieces.size() && pieces[i].size() < kBorrowedBytes) size += pieces[i++].size();
    if (size > 0) slices.push_back(Copy(std::span(pieces).subspan(first, i - first), size, held));
  }
  return grpc::ByteBuffer(slices.data(), slices.size());
}

grpc::ByteBuffer ByteBufferOf(const google::protobuf::MessageLite& message) {
  size_t size = message.ByteSizeLong();
  grpc_slice slice = grpc_slice_malloc(size);
  message.SerializeWithCachedSizesToArray(GRPC_SLICE_START_PTR(slice));
  grpc::Slice only(slice, grpc::Slice::STEAL_REF);
  return grpc::ByteBuffer(&only, 1);
}

size_t SizeOf(const wire::Pieces& pieces) {
  size_t size = 0;
  for (const Buffer& piece : pieces) size += piece.size();
  return size;
}

}  // namespace signet
