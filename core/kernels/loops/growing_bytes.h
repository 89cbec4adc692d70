// GrowingBytes: collects bytes whose final number is not known in advance.
//
// The memory is allocated from the run block by block, so that it counts against the budget of the
// call before it is used. Not thread-safe.

#pragma once

#include <algorithm>
#include <string_view>

#include <absl/container/inlined_vector.h>

#include "core/kernels/def/stop_poll.h"

namespace signet {

class GrowingBytes {
 public:
  // Never allocates more than `most` bytes.
  GrowingBytes(StopPoll& poll, int64_t most) : poll_(poll), most_(most) {}

  // Appends `part`. Returns false after the first error; status() returns that error.
  bool Append(std::string_view part) {
    size_ += static_cast<int64_t>(part.size());
    while (!part.empty()) {
      if (room_ == 0 && !Grow()) return false;
      const size_t count = std::min(part.size(), room_);
      if (poll_.Stops(static_cast<int64_t>(count / 4))) return Fail(poll_.context().CheckStop());
      std::memcpy(to_, part.data(), count);
      to_ += count;
      room_ -= count;
      part.remove_prefix(count);
    }
    return status_.ok();
  }
  bool Append(char byte) {
    if (room_ == 0 || !status_.ok()) return Append(std::string_view(&byte, 1));
    ++size_;
    *to_++ = byte;
    --room_;
    return true;
  }

  int64_t size() const { return size_; }
  // Returns OK, RESOURCE_EXHAUSTED if more than `most` bytes are needed or memory is missing, or
  // the error with which the call ends.
  const Status& status() const { return status_; }

  // Copies all bytes to `to`, which has room for size(). Returns false if the call must end.
  bool CopyTo(std::byte* to) const {
    int64_t left = size_;
    for (const Block& block : blocks_) {
      const int64_t count = std::min(left, block.size);
      if (!CopyBytes(poll_, to, block.data, static_cast<size_t>(count))) return false;
      to += count;
      left -= count;
    }
    return true;
  }

 private:
  static constexpr int64_t kLeastBlock = int64_t{4} << 10;
  static constexpr int64_t kMostBlock = int64_t{1} << 20;

  struct Block {
    std::byte* data;
    int64_t size;
  };

  // `size_` already includes the bytes to be written.
  bool Grow() {
    if (!status_.ok()) return false;
    if (size_ > most_) {
      return Fail(ResourceExhausted("output text exceeds the limit of ", most_,
                                    " bytes per tensor; pass fewer or shorter texts"));
    }
    const int64_t size = std::clamp(taken_, kLeastBlock, kMostBlock);
    auto memory = poll_.context().Scratch(static_cast<size_t>(size));
    if (!memory.ok()) return Fail(memory.status());
    blocks_.push_back({*memory, size});
    taken_ += size;
    to_ = reinterpret_cast<char*>(*memory);
    room_ = static_cast<size_t>(size);
    return true;
  }
  bool Fail(Status status) {
    if (status_.ok()) status_ = std::move(status);
    room_ = 0;
    return false;
  }

  StopPoll& poll_;
  const int64_t most_;
  absl::InlinedVector<Block, 8> blocks_;
  int64_t taken_ = 0;  // bytes in the blocks
  int64_t size_ = 0;
  char* to_ = nullptr;  // address of the next byte
  size_t room_ = 0;     // bytes available from there
  Status status_;
};

}  // namespace signet
