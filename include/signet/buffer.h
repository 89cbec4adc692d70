// Buffer: reference-counted bytes that do not change once shared.
//
// A buffer is allocated here (aligned to kBufferAlignment), or borrows memory from an owner that it
// keeps alive: a received message, a mapped file. Copying one counts a reference; a slice shares
// it. A view has no owner: whoever made it answers for the memory (the executor's arena does so).
// Thread-safe as a value; the bytes are written only by the maker, before the buffer is shared.

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

inline constexpr size_t kBufferAlignment = 64;  // bytes: a cache line, and the widest vector

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

  // `size` uninitialised bytes; RESOURCE_EXHAUSTED when there is no memory for them.
  static StatusOr<Buffer> Allocate(size_t size);
  // A copy of `bytes`. Aborts when there is no memory: for small, internal data.
  static Buffer Copy(std::span<const std::byte> bytes);
  static Buffer Copy(std::string_view bytes) { return Copy(std::as_bytes(std::span(bytes))); }
  // The memory of `owner`, kept alive as long as the buffer or a slice of it.
  static Buffer Borrow(std::span<const std::byte> bytes, std::shared_ptr<const void> owner);
  // Memory that outlives the buffer by other means.
  static Buffer View(std::span<const std::byte> bytes);

  const std::byte* data() const { return data_; }
  size_t size() const { return size_; }  // bytes
  bool empty() const { return size_ == 0; }
  std::span<const std::byte> bytes() const { return {data_, size_}; }
  std::string_view text() const { return {reinterpret_cast<const char*>(data_), size_}; }
  // For the maker, before the buffer is shared.
  std::byte* mutable_data() { return const_cast<std::byte*>(data_); }
  bool IsAligned(size_t alignment) const {
    return reinterpret_cast<uintptr_t>(data_) % alignment == 0;
  }
  // Whether the buffer keeps its memory alive (all but views do).
  bool is_owned() const { return block_ != nullptr || size_ == 0; }
  // Bytes [offset, offset + size) of this buffer; they must exist.
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
