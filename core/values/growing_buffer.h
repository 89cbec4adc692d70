// GrowingBuffer: bytes appended one number at a time, which become a Buffer without a copy.
//
// Capacity doubles; Finish keeps the slack, at most as much again. One thread.

#pragma once

#include <cstring>
#include <string_view>
#include <utility>

#include "core/values/buffer.h"

namespace signet {

class GrowingBuffer {
 public:
  template <class T>
  Status Append(T value) {
    if (buffer_.size() - size_ < sizeof(T)) SIGNET_RETURN_IF_ERROR(Grow(sizeof(T)));
    std::memcpy(buffer_.mutable_data() + size_, &value, sizeof(T));
    size_ += sizeof(T);
    return absl::OkStatus();
  }
  Status AppendBytes(std::string_view bytes) {
    if (buffer_.size() - size_ < bytes.size()) SIGNET_RETURN_IF_ERROR(Grow(bytes.size()));
    if (!bytes.empty()) std::memcpy(buffer_.mutable_data() + size_, bytes.data(), bytes.size());
    size_ += bytes.size();
    return absl::OkStatus();
  }

  // Makes room for `more` bytes behind the end; Extend counts those that were written there.
  Status Reserve(size_t more) {
    return buffer_.size() - size_ < more ? Grow(more) : absl::OkStatus();
  }
  std::byte* end() { return buffer_.mutable_data() + size_; }
  void Extend(size_t bytes) { size_ += bytes; }
  void Truncate(size_t size) { size_ = size; }

  const std::byte* data() const { return buffer_.data(); }
  size_t size() const { return size_; }  // bytes
  Buffer Finish() && { return std::move(buffer_).Slice(0, size_); }

 private:
  Status Grow(size_t more) {
    size_t capacity = buffer_.size() < 64 ? 64 : buffer_.size() * 2;
    while (capacity < size_ + more) capacity *= 2;
    SIGNET_ASSIGN_OR_RETURN(Buffer grown, Buffer::Allocate(capacity));
    if (size_ > 0) std::memcpy(grown.mutable_data(), buffer_.data(), size_);
    buffer_ = std::move(grown);
    return absl::OkStatus();
  }

  Buffer buffer_;
  size_t size_ = 0;
};

}  // namespace signet
