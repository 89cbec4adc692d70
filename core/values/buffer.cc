#include "signet/buffer.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <new>
#include <sys/mman.h>

#include "core/values/buffer_bytes.h"

namespace signet {

// No machine has more memory. Sanitizers abort a program that requests this size.
constexpr size_t kLargest = size_t{1} << 39;

// Larger blocks use huge pages: the first access to a page of 4 KiB takes longer than filling it.
constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kHuge = 2 * kHugePage;

// The alignment of malloc. For small sizes, malloc is faster than posix_memalign, but the sanitizer
// detects accesses past the end only with posix_memalign.
#if defined(__SANITIZE_ADDRESS__)
constexpr size_t kPlainAlignment = 0;
#else
constexpr size_t kPlainAlignment = alignof(std::max_align_t);
#endif

// Bytes that this thread has allocated and not freed, as malloc counts them.
thread_local int64_t thread_bytes = 0;

int64_t BufferBytesOfThread() { return thread_bytes; }

// Header and bytes in one allocation: the bytes start at the first aligned address after the
// header, at most kBufferAlignment later.
struct Buffer::OwnedBlock : Buffer::Block {};

struct Buffer::BorrowedBlock : Buffer::Block {
  std::shared_ptr<const void> owner;
};

StatusOr<Buffer> Buffer::Allocate(size_t size) {
  static_assert(sizeof(OwnedBlock) <= alignof(std::max_align_t));
  if (size == 0) return Buffer();
  void* memory = nullptr;
  if (size < kHuge && kPlainAlignment >= sizeof(OwnedBlock)) {
    memory = std::malloc(kBufferAlignment + size);
  } else if (size <= kLargest) {
    size_t alignment = size < kHuge ? kBufferAlignment : kHugePage;
    if (posix_memalign(&memory, alignment, kBufferAlignment + size) != 0) memory = nullptr;
  }
  if (memory == nullptr) return ResourceExhausted("no memory for ", size, " bytes");
  if (size >= kHuge) madvise(memory, size, MADV_HUGEPAGE);  // only a hint; failure is harmless
  auto* block = new (memory) OwnedBlock;
  thread_bytes += static_cast<int64_t>(malloc_usable_size(memory));
  block->release = [](Block* freed) {
    thread_bytes -= static_cast<int64_t>(malloc_usable_size(freed));
    std::free(static_cast<OwnedBlock*>(freed));
  };
  Buffer buffer;
  buffer.block_ = block;
  auto behind = reinterpret_cast<uintptr_t>(memory) + sizeof(OwnedBlock);
  size_t gap = (kBufferAlignment - behind % kBufferAlignment) % kBufferAlignment;
  buffer.data_ = static_cast<std::byte*>(memory) + sizeof(OwnedBlock) + gap;
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
