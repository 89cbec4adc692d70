// BodyBytes: the bytes of a body while they arrive. BodyBudget: bounds the bytes of all bodies
// together.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "signet/buffer.h"

namespace signet {

// The memory of the bodies of a server, in bytes. Thread-safe.
class BodyBudget {
 public:
  explicit BodyBudget(size_t limit) : limit_(static_cast<int64_t>(limit)) {}

  // Returns false, and reserves nothing, if the limit would be exceeded.
  bool Reserve(size_t bytes) {
    const auto wanted = static_cast<int64_t>(bytes);
    if (used_.fetch_add(wanted) + wanted <= limit_) return true;
    used_.fetch_sub(wanted);
    return false;
  }
  void Release(size_t bytes) { used_.fetch_sub(static_cast<int64_t>(bytes)); }

 private:
  const int64_t limit_;
  std::atomic<int64_t> used_{0};
};

// Grows without a copy if the system can move the pages. Not thread-safe.
class BodyBytes {
 public:
  static constexpr size_t kFirstBytes = size_t{16} << 10;
  static constexpr size_t kAlignment = 16;  // of memory from malloc

  explicit BodyBytes(std::shared_ptr<BodyBudget> budget) : budget_(std::move(budget)) {}
  ~BodyBytes();
  BodyBytes(const BodyBytes&) = delete;
  BodyBytes& operator=(const BodyBytes&) = delete;

  size_t size() const { return size_; }
  size_t room() const { return capacity_ - size_; }
  char* end() { return data_ + padding_ + size_; }
  void Add(size_t bytes) { size_ += bytes; }
  // Makes room for more bytes, up to `limit` in all. Returns false if the budget or the memory of
  // the system is exhausted.
  bool Grow(size_t limit, size_t first = kFirstBytes);
  // Aligns the byte at `offset` of the body, so that tensors after a text can be used where they
  // are. Only while there are no bytes.
  void AlignAt(size_t offset) { padding_ = (kAlignment - offset % kAlignment) % kAlignment; }
  // Passes the bytes to a buffer, which frees them.
  Buffer Take();

 private:
  const std::shared_ptr<BodyBudget> budget_;
  char* data_ = nullptr;  // capacity_ + kAlignment bytes, or null
  size_t padding_ = 0;    // before the first byte; less than kAlignment
  size_t size_ = 0;
  size_t capacity_ = 0;  // reserved in the budget
};

}  // namespace signet
