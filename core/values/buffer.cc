#include "core/values/buffer.h"

#include <cstdlib>
#include <cstring>
#include <new>
#include <sys/mman.h>

namespace signet {

// No machine has more; sanitizers end a program that asks for it.
constexpr size_t kLargest = size_t{1} << 39;

// From a few of them on, memory is asked for in huge pages: the first touch of a page of 4 KiB
// takes the system longer than filling it.
constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kHuge = 2 * kHugePage;

// Header and bytes in one allocation: the bytes start kBufferAlignment behind it.
struct alignas(kBufferAlignment) Buffer::OwnedBlock : Buffer::Block {};

struct Buffer::BorrowedBlock : Buffer::Block {
  std::shared_ptr<const void> owner;
};

StatusOr<Buffer> Buffer::Allocate(size_t size) {
  static_assert(sizeof(OwnedBlock) == kBufferAlignment);
  if (size == 0) return Buffer();
  void* memory = nullptr;
  bool fits = size <= kLargest;
  size_t alignment = size < kHuge ? kBufferAlignment : kHugePage;
  if (!fits || posix_memalign(&memory, alignment, sizeof(OwnedBlock) + size) != 0) {
    return ResourceExhausted("no memory for ", size, " bytes");
  }
  if (size >= kHuge) madvise(memory, size, MADV_HUGEPAGE);  // a wish, which may be refused
  auto* block = new (memory) OwnedBlock;
  block->release = [](Block* freed) { std::free(static_cast<OwnedBlock*>(freed)); };
  Buffer buffer;
  buffer.block_ = block;
  buffer.data_ = static_cast<std::byte*>(memory) + sizeof(OwnedBlock);
  buffer.size_ = size;
  return buffer;
}

Buffer Buffer::Copy(std::span<const std::byte> bytes) {
  auto buffer = Allocate(bytes.size());
  SIGNET_CHECK(buffer.ok());
  if (!bytes.empty()) std::memcpy(buffer->mutable_data(), bytes.data(), bytes.size());
  return *std::move(buffer);
}

Buffer Buffer::Borrow(std::span<const std::byte> bytes, std::shared_ptr<const void> owner) {
  auto* block = new BorrowedBlock;
  block->release = [](Block* freed) { delete static_cast<BorrowedBlock*>(freed); };
  block->owner = std::move(owner);
  Buffer buffer;
  buffer.block_ = block;
  buffer.data_ = bytes.data();
  buffer.size_ = bytes.size();
  return buffer;
}

Buffer Buffer::View(std::span<const std::byte> bytes) {
  Buffer buffer;
  buffer.data_ = bytes.data();
  buffer.size_ = bytes.size();
  return buffer;
}

Buffer Buffer::Slice(size_t offset, size_t size) const {
  SIGNET_CHECK(offset <= size_ && size <= size_ - offset);
  Buffer slice = *this;
  slice.data_ = data_ + offset;
  slice.size_ = size;
  return slice;
}

}  // namespace signet
