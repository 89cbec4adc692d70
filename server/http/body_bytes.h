// BodyBytes: the bytes of a body while they arrive, within a budget for all bodies.

#pragma once

#include <cstddef>
#include <memory>
#include <utility>

#include "server/transport/byte_budget.h"
#include "signet/buffer.h"

namespace signet {

// Grows without a copy if the system can move the pages. Not thread-safe.
class BodyBytes {
 public:
  static constexpr size_t kFirstBytes = size_t{16} << 10;
  static constexpr size_t kAlignment = 16;  // of memory from malloc

  explicit BodyBytes(std::shared_ptr<ByteBudget> budget) : budget_(std::move(budget)) {}
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
  const std::shared_ptr<ByteBudget> budget_;
  char* data_ = nullptr;  // capacity_ + kAlignment bytes, or null
  size_t padding_ = 0;    // before the first byte; less than kAlignment
  size_t size_ = 0;
  size_t capacity_ = 0;  // reserved in the budget
};

}  // namespace signet
