// CallsInMemory: counts the calls that gRPC holds in memory for a connection.
//
//   CallsInMemory calls;
//   std::optional<int64_t> count = calls.Count("ipv4:127.0.0.1:50100");
//
// A call that the client resets is closed for HTTP/2 and no longer counts against the limit of
// concurrent calls. It remains in memory until gRPC and its handler have finished it. gRPC's
// channelz counts the streams of a connection that it created and that it destroyed. The
// difference is the number of calls in memory. Not thread-safe.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

namespace signet {

class CallsInMemory {
 public:
  // Returns the number of calls of the connection that gRPC calls `peer`; 0 if it has ended. Empty
  // if gRPC's list of connections must be read for that, which happens at most once per kInterval.
  std::optional<int64_t> Count(const std::string& peer);

 private:
  static constexpr std::chrono::milliseconds kInterval{20};

  std::unordered_map<std::string, intptr_t> ids_;  // of gRPC's sockets, by peer
  std::chrono::steady_clock::time_point read_again_{};
};

}  // namespace signet
