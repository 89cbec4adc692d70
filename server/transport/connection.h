// Connection: the state of one client connection. Thread-safe.

#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

namespace signet {

struct Connection {
  explicit Connection(std::string name) : peer(std::move(name)) {}

  const std::string peer;  // gRPC's name: `ipv4:127.0.0.1:50100`, `ipv6:%5B::1%5D:50100`

  std::atomic<int64_t> unread_bytes{0};  // of responses that the client has not read
  std::atomic<bool> called{false};       // a call came; set only while some connection is slow
};

}  // namespace signet
