// GrowingBuffer: bytes appended one number at a time, which become a Buffer without a copy.
//
// Capacity doubles, or is what the caller foresees; Finish keeps the slack. One thread.

#pragma once

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "signet/buffer.h"

namespace signet {

class GrowingBuffer {
 public:
  // Bytes that may be written behind those that there is room for, but for the first time.
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

  // Bytes [0, size) of what others share, from Zeros.
  static GrowingBuffer Share(const Buffer& zeros, size_t size) {
    GrowingBuffer out;
    out.buffer_ = zeros;
    out.begin_ = out.buffer_.mutable_data() + kFront;
    out.end_ = out.limit_ = out.begin_ + size;
    return out;
  }
  // `size` bytes for Share.
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

  // Makes room for `more` bytes behind the end; Extend counts those that were written there.
  Status Reserve(size_t more) { return HasRoom(more) ? absl::OkStatus() : Grow(more); }
  bool HasRoom(size_t more) const { return static_cast<size_t>(limit_ - end_) >= more; }
  std::byte* end() { return end_; }
  void Extend(size_t bytes) { end_ += bytes; }
  // Appends where there is room.
  template <class T>
  void Put(T value) {
    std::memcpy(end_, &value, sizeof(T));
    end_ += sizeof(T);
  }
  void Truncate(size_t size) { end_ = begin_ + size; }

  const std::byte* data() const { return begin_; }
  size_t size() const { return static_cast<size_t>(end_ - begin_); }        // bytes
  size_t capacity() const { return static_cast<size_t>(limit_ - begin_); }  // bytes
  // Makes the capacity at least `capacity` bytes.
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
  // Of int64: with a 0 before them, as row splits and offsets begin.
  StatusOr<Buffer> FinishBehindZero() && {
    if (begin_ == nullptr) SIGNET_RETURN_IF_ERROR(GrowTo(0));
    return Take(sizeof(int64_t));
  }

 private:
  static constexpr size_t kFront = kBufferAlignment;  // zeros before the first byte

  Status Grow(size_t more) { return GrowTo(std::max({size_t{64}, capacity() * 2, size() + more})); }

  // The bytes, and `front` of those before them.
  Buffer Take(size_t front) {
    GrowingBuffer taken = std::move(*this);
    return taken.begin_ == nullptr ? Buffer()
                                   : taken.buffer_.Slice(kFront - front, taken.size() + front);
  }

  Buffer buffer_;  // kFront bytes, the data, the slack, kOverrun bytes
  std::byte* begin_ = nullptr;
  std::byte* end_ = nullptr;
  std::byte* limit_ = nullptr;
};

}  // namespace signet
