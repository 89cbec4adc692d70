#include "server/transport/frame_scanner.h"

#include <algorithm>
#include <cstring>

namespace signet {
namespace {

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

// RFC 9113, section 6.
enum FrameType : unsigned char {
  kHeaders = 1,
  kResetStream = 3,
  kSettings = 4,
  kContinuation = 9,
};
constexpr unsigned char kAckFlag = 1;

}  // namespace

size_t FrameScanner::Scan(std::string_view bytes, Counts stop) {
  const size_t size = bytes.size();
  if (misuse_ != nullptr) return 0;
  if (preface_bytes_ < kPreface.size()) {
    size_t count = std::min(bytes.size(), kPreface.size() - preface_bytes_);
    is_http2_ = is_http2_ && bytes.substr(0, count) == kPreface.substr(preface_bytes_, count);
    preface_bytes_ += count;
    bytes.remove_prefix(count);
  }
  if (!is_http2_) return size;
  while (!bytes.empty()) {
    if (payload_bytes_ > 0) {
      size_t count = std::min(bytes.size(), payload_bytes_);
      payload_bytes_ -= count;
      bytes.remove_prefix(count);
      continue;
    }
    size_t count = std::min(bytes.size(), kHeaderBytes - header_bytes_);
    std::memcpy(header_.data() + header_bytes_, bytes.data(), count);
    header_bytes_ += count;
    bytes.remove_prefix(count);
    if (header_bytes_ < kHeaderBytes) break;
    header_bytes_ = 0;
    StartFrame();
    if (misuse_ != nullptr || counts_.opened >= stop.opened || counts_.reset >= stop.reset) break;
  }
  return size - bytes.size();
}

void FrameScanner::StartFrame() {
  payload_bytes_ = size_t{header_[0]} << 16 | size_t{header_[1]} << 8 | header_[2];
  const auto frame_bytes = static_cast<int64_t>(kHeaderBytes + payload_bytes_);
  const unsigned char flags = header_[4];
  const uint32_t stream = (uint32_t{header_[5]} << 24 | uint32_t{header_[6]} << 16 |
                           uint32_t{header_[7]} << 8 | header_[8]) &
                          0x7fffffff;
  switch (header_[3]) {
    case kHeaders:
      block_bytes_ = frame_bytes;
      if (stream <= last_stream_) return;  // trailers, or an error that gRPC finds
      last_stream_ = stream;
      ++counts_.opened;
      if (!acknowledged_ && counts_.opened > limits_.streams_before_ack) {
        misuse_ =
            "the client opens too many streams without acknowledging SETTINGS "
            "(--max_concurrent_calls)";
      }
      return;
    case kContinuation:
      block_bytes_ += frame_bytes;
      if (block_bytes_ > limits_.header_block_bytes)
        misuse_ = "the client sends too many header bytes";
      return;
    case kResetStream:
      ++counts_.reset;
      return;
    case kSettings:
      acknowledged_ = acknowledged_ || (flags & kAckFlag) != 0;
      return;
    default:
      return;
  }
}

}  // namespace signet
