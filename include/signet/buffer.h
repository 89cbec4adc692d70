// Buffer: reference-counted bytes that do not change after they are shared.
//
//   auto text = std::make_shared<std::string>("bytes that others own");
//   auto buffer =
//       signet::Buffer::Borrow(std::as_bytes(std::span(*text)), text);  // keeps `text` alive
//
// A buffer allocates its memory (aligned to kBufferAlignment), or borrows it from an owner that it
// keeps alive, such as a received message or a mapped file. A copy increments a reference count,
// and a slice shares the memory. A view has no owner: its creator guarantees that the memory exists
// (the arena of the executor does so). Thread-safe as a value. Only the creator writes the bytes,
// before it shares the buffer.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "signet/status.h"

namespace signet {

// bytes: a cache line, and the size of the widest vector
inline constexpr size_t kBufferAlignment = 64;

class Buffer {
 public:
  Buffer() = default;  // no bytes
  Buffer(const Buffer& other) : block_(other.block_), data_(other.data_), size_(other.size_) {
    if (block_ != nullptr) block_->references.fetch_add(1, std::memory_order_relaxed);
  }
  Buffer(Buffer&& other) noexcept
      : block_(std::exchange(other.block_, nullptr)),
        data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)) {}
  Buffer& operator=(Buffer other) noexcept {
    std::swap(block_, other.block_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~Buffer() {
    if (block_ != nullptr && block_->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      block_->release(block_);
    }
  }

  // Allocates `size` uninitialized bytes. Returns RESOURCE_EXHAUSTED if there is not enough memory.
  static StatusOr<Buffer> Allocate(size_t size);
  // Copies `bytes`. Aborts if there is not enough memory: for small, internal data.
  static Buffer Copy(std::span<const std::byte> bytes);
  static Buffer Copy(std::string_view bytes) { return Copy(std::as_bytes(std::span(bytes))); }
  // Borrows the memory of `owner`, which stays alive as long as the buffer or a slice of it.
  static Buffer Borrow(std::span<const std::byte> bytes, std::shared_ptr<const void> owner);
  // Returns a view of memory that the caller keeps alive.
  static Buffer View(std::span<const std::byte> bytes);

  const std::byte* data() const { return data_; }
  size_t size() const { return size_; }  // bytes
  bool empty() const { return size_ == 0; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }
  // For the creator only, before the buffer is shared.
  std::byte* mutable_data() { return const_cast<std::byte*>(data_); }
  bool IsAligned(size_t alignment) const {
    return reinterpret_cast<uintptr_t>(data_) % alignment == 0;
  }
  // Returns true if the buffer keeps its memory alive, which all buffers except views do.
  bool is_owned() const { return block_ != nullptr || size_ == 0; }
  // Returns bytes [offset, offset + size) of this buffer. They must exist.
  Buffer Slice(size_t offset, size_t size) const;

 private:
  struct Block {
    std::atomic<int64_t> references{1};
    void (*release)(Block*) = nullptr;
  };
  struct OwnedBlock;
  struct BorrowedBlock;

  Block* block_ = nullptr;
  const std::byte* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace signet
