// FrameScanner: counts the HTTP/2 frames that one client sends, to find clients that misuse HTTP/2.
//
//   FrameScanner scanner(limits);
//   scanner.Scan(bytes);
//   if (const char* why = scanner.misuse()) ...   // end the connection
//
// gRPC 1.51 limits neither of the following, so the scanner reports a reason to end a connection if
//   1. the client opens more than `streams_before_ack` streams before it acknowledges the SETTINGS
//      of the server. Until then, gRPC does not enforce the limit of streams.
//   2. one block of headers, which is a HEADERS frame with its CONTINUATION frames, exceeds
//      `header_block_bytes`.
// It also counts the streams that the client opens and resets. The scanner reads headers of frames
// (RFC 9113, section 4.1) and skips payloads, so its cost does not depend on the size of a payload.
// Bytes that are not HTTP/2 are left to gRPC, which ends such a connection. Not thread-safe.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace signet {

class FrameScanner {
 public:
  struct Limits {
    int64_t streams_before_ack = 1024;
    int64_t header_block_bytes = int64_t{1} << 20;
  };

  // Counts of streams since the connection began.
  struct Counts {
    int64_t opened = 0;
    int64_t reset = 0;  // by the client: RST_STREAM frames
  };
  static constexpr Counts kNoStop = {INT64_MAX, INT64_MAX};

  explicit FrameScanner(Limits limits) : limits_(limits) {}

  // Scans the next bytes that the client sent, and returns how many it scanned. It scans all of
  // them, or stops after the header of the frame with which a count reaches the same count of
  // `stop`. It scans nothing after misuse() has become non-null.
  size_t Scan(std::string_view bytes, Counts stop = kNoStop);

  // Returns why the connection must end, or null.
  const char* misuse() const { return misuse_; }
  const Counts& counts() const { return counts_; }

 private:
  static constexpr size_t kHeaderBytes = 9;

  // Interprets the complete header of a frame.
  void StartFrame();

  Limits limits_;
  size_t preface_bytes_ = 0;  // bytes of the connection preface that were scanned
  bool is_http2_ = true;
  std::array<unsigned char, kHeaderBytes> header_ = {};
  size_t header_bytes_ = 0;   // bytes of the header of the next frame that were scanned
  size_t payload_bytes_ = 0;  // bytes of the current frame that are not scanned yet
  bool acknowledged_ = false;
  uint32_t last_stream_ = 0;
  Counts counts_;
  const char* misuse_ = nullptr;
  int64_t block_bytes_ = 0;  // bytes of the current block of headers, with its frame headers
};

}  // namespace signet
