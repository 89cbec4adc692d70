// StreamCounts: what gRPC counts of the HTTP/2 streams of a connection (its channelz data).
//
//   StreamCounter counter;
//   counter.Find("ipv4:127.0.0.1:50100")   // {started 12, succeeded 11, failed 0, messages 12}
//
// Not thread-safe.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace signet {

struct StreamCounts {
  int64_t started = 0;
  int64_t succeeded = 0;  // ended by the server's trailers
  int64_t failed = 0;     // ended otherwise, such as by RST_STREAM
  int64_t messages = 0;   // received as a whole

  int64_t open() const { return started - succeeded - failed; }
};

class StreamCounter {
 public:
  // Returns the counts of the server connection that gRPC calls `peer`, or nothing if there is
  // none.
  std::optional<StreamCounts> Find(const std::string& peer);

 private:
  void ListSockets();

  std::unordered_map<std::string, intptr_t> sockets_;   // by peer
  std::chrono::steady_clock::time_point list_again_{};  // before then, listing costs too much
};

// Reads the counts from the JSON of a channelz socket. Counts that are 0 are left out there.
StreamCounts ParseStreamCounts(std::string_view json);

}  // namespace signet
