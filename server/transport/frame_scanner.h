// FrameScanner: counts the HTTP/2 frames that one client sends, to find clients that misuse HTTP/2.
//
//   FrameScanner scanner(limits);
//   if (const char* why = scanner.Scan(bytes)) ...   // end the connection
//
// gRPC 1.51 bounds neither of the following, so the scanner reports a reason to end a connection if
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

  explicit FrameScanner(Limits limits) : limits_(limits) {}

  // Takes the next bytes that the client sent. Returns why the connection must end, or null.
  const char* Scan(std::string_view bytes);

  int64_t num_streams() const { return num_streams_; }     // opened since the connection began
  int64_t num_resets() const { return num_resets_; }       // RST_STREAM frames
  size_t payload_bytes() const { return payload_bytes_; }  // of the current frame, still to come

 private:
  static constexpr size_t kHeaderBytes = 9;

  // Takes the complete header of a frame.
  const char* StartFrame();

  Limits limits_;
  size_t preface_bytes_ = 0;  // taken of the connection preface
  bool is_http2_ = true;
  std::array<unsigned char, kHeaderBytes> header_ = {};
  size_t header_bytes_ = 0;   // taken of the header of the next frame
  size_t payload_bytes_ = 0;  // of the current frame, still to come
  bool acknowledged_ = false;
  uint32_t last_stream_ = 0;
  int64_t num_streams_ = 0;
  int64_t num_resets_ = 0;
  int64_t block_bytes_ = 0;  // of the current block of headers, with the headers of its frames
};

}  // namespace signet
