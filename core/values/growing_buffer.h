// GrowingBuffer: appends numbers to bytes, which are converted to a Buffer without a copy.
//
// The capacity doubles unless the caller sets it; Finish keeps the unused rest. Not thread-safe.

#pragma once

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "signet/buffer.h"

namespace signet {

class GrowingBuffer {
 public:
  // Bytes after the reserved ones that may be written, too, except before the first reservation.
  static constexpr size_t kOverrun = 64;

  GrowingBuffer() = default;
  GrowingBuffer(GrowingBuffer&& other) noexcept { *this = std::move(other); }
  GrowingBuffer& operator=(GrowingBuffer&& other) noexcept {
    std::swap(buffer_, other.buffer_);
    std::swap(begin_, other.begin_);
    std::swap(end_, other.end_);
    std::swap(limit_, other.limit_);
    return *this;
  }

  // Returns bytes [0, size) of a buffer from Zeros that several owners share.
  static GrowingBuffer Share(const Buffer& zeros, size_t size) {
    GrowingBuffer out;
    out.buffer_ = zeros;
    out.begin_ = out.buffer_.mutable_data() + kFront;
    out.end_ = out.limit_ = out.begin_ + size;
    return out;
  }
  // Returns `size` zero bytes for Share.
  static StatusOr<Buffer> Zeros(size_t size) {
    SIGNET_ASSIGN_OR_RETURN(Buffer zeros, Buffer::Allocate(kFront + size));
    std::memset(zeros.mutable_data(), 0, zeros.size());
    return zeros;
  }

  template <class T>
  Status Append(T value) {
    if (!HasRoom(sizeof(T))) SIGNET_RETURN_IF_ERROR(Grow(sizeof(T)));
    Put(value);
    return absl::OkStatus();
  }
  Status AppendBytes(std::string_view bytes) {
    if (!HasRoom(bytes.size())) SIGNET_RETURN_IF_ERROR(Grow(bytes.size()));
    if (!bytes.empty()) std::memcpy(end_, bytes.data(), bytes.size());
    end_ += bytes.size();
    return absl::OkStatus();
  }

  // Reserves room for `more` bytes after the end. Extend counts the bytes that were written there.
  Status Reserve(size_t more) { return HasRoom(more) ? absl::OkStatus() : Grow(more); }
  bool HasRoom(size_t more) const { return static_cast<size_t>(limit_ - end_) >= more; }
  std::byte* end() { return end_; }
  void Extend(size_t bytes) { end_ += bytes; }
  // Appends a number. The room for it must have been reserved.
  template <class T>
  void Put(T value) {
    std::memcpy(end_, &value, sizeof(T));
    end_ += sizeof(T);
  }
  void Truncate(size_t size) { end_ = begin_ + size; }

  const std::byte* data() const { return begin_; }
  size_t size() const { return static_cast<size_t>(end_ - begin_); }        // bytes
  size_t capacity() const { return static_cast<size_t>(limit_ - begin_); }  // bytes
  // Increases the capacity to at least `capacity` bytes.
  Status GrowTo(size_t capacity) {
    SIGNET_ASSIGN_OR_RETURN(Buffer grown, Buffer::Allocate(kFront + capacity + kOverrun));
    size_t size = this->size();
    std::byte* begin = grown.mutable_data() + kFront;
    std::memset(begin - kFront, 0, kFront);
    if (size > 0) std::memcpy(begin, begin_, size);
    buffer_ = std::move(grown);
    begin_ = begin;
    end_ = begin + size;
    limit_ = begin + capacity;
    return absl::OkStatus();
  }

  Buffer Finish() && { return Take(0); }
  // Finishes int64 numbers with a 0 before them, as row splits and offsets begin.
  StatusOr<Buffer> FinishBehindZero() && {
    if (begin_ == nullptr) SIGNET_RETURN_IF_ERROR(GrowTo(0));
    return Take(sizeof(int64_t));
  }

 private:
  static constexpr size_t kFront = kBufferAlignment;  // zeros before the first byte

  Status Grow(size_t more) { return GrowTo(std::max({size_t{64}, capacity() * 2, size() + more})); }

  // Returns the bytes and `front` of the bytes before them.
  Buffer Take(size_t front) {
    GrowingBuffer taken = std::move(*this);
    return taken.begin_ == nullptr ? Buffer()
                                   : taken.buffer_.Slice(kFront - front, taken.size() + front);
  }

  Buffer buffer_;  // kFront bytes, the data, unused capacity, kOverrun bytes
  std::byte* begin_ = nullptr;
  std::byte* end_ = nullptr;
  std::byte* limit_ = nullptr;
};

}  // namespace signet
