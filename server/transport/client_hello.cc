#include "server/transport/client_hello.h"

#include <algorithm>

namespace signet {
namespace {

constexpr char kHandshakeRecord = 22;
constexpr char kClientHelloMessage = 1;

}  // namespace

size_t ClientHello::missing_bytes() const {
  if (state_ != State::kIncomplete) return 0;
  if (size_ < kRecordHeaderBytes) return kRecordHeaderBytes - size_;
  return kRecordHeaderBytes + NumberAt(3, 2) - size_;
}

ClientHello::State ClientHello::Add(std::string_view bytes) {
  if (state_ != State::kIncomplete) return state_;
  if (size_ < start_.size()) {
    const std::string_view kept = bytes.substr(0, start_.size() - size_);
    std::copy(kept.begin(), kept.end(), start_.begin() + static_cast<ptrdiff_t>(size_));
  }
  size_ += bytes.size();
  return state_ = FindState();
}

// The most significant byte is the first.
size_t ClientHello::NumberAt(size_t begin, size_t bytes) const {
  size_t number = 0;
  for (size_t i = begin; i < begin + bytes; ++i) {
    number = number << 8 | static_cast<unsigned char>(start_[i]);
  }
  return number;
}

ClientHello::State ClientHello::FindState() const {
  if (size_ > 0 && start_[0] != kHandshakeRecord) return State::kOther;
  if (size_ < kRecordHeaderBytes) return State::kIncomplete;
  const size_t record_bytes = NumberAt(3, 2);
  if (record_bytes < start_.size() - kRecordHeaderBytes) return State::kOther;
  if (size_ > kRecordHeaderBytes && start_[kRecordHeaderBytes] != kClientHelloMessage) {
    return State::kOther;
  }
  if (size_ < kRecordHeaderBytes + record_bytes) return State::kIncomplete;
  const size_t message_bytes = kMessageHeaderBytes + NumberAt(kRecordHeaderBytes + 1, 3);
  const bool is_zero = random().find_first_not_of('\0') == std::string_view::npos;
  return message_bytes > record_bytes || is_zero ? State::kOther : State::kComplete;
}

}  // namespace signet
