// HttpLoad: an HTTP/1.1 client with a number of keep-alive connections, each of which sends one
// request after the other.
//
//   HttpLoad load("127.0.0.1:8501", "/v1/models/bench/functions/identity", body);
//   load.CallsPerSecond(8, 1.5);
//
// The request is written once, and responses are not parsed, except for their length.

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "signet/status.h"

namespace signet {

// A connection of HTTP. Not thread-safe.
class HttpConnection {
 public:
  // Connects, or returns UNAVAILABLE.
  static StatusOr<HttpConnection> Open(const std::string& address);
  ~HttpConnection();
  HttpConnection(HttpConnection&& other) noexcept;
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  Status Send(std::string_view bytes);
  // Reads a response with a Content-Length, and returns its code. `body` is the memory of the body.
  StatusOr<int> Receive(std::string& body);

 private:
  explicit HttpConnection(int descriptor) : descriptor_(descriptor) {}

  int descriptor_ = -1;
  std::string buffered_;  // received, but not used yet
};

class HttpLoad {
 public:
  // `headers` are lines that end in \r\n.
  HttpLoad(std::string address, std::string_view path, std::string_view body,
           std::string_view headers = "");

  // Calls the server once, and returns the body. Returns an error unless the code is 200.
  StatusOr<std::string> CallOnce() const;
  // Returns the completed calls per second on all connections. Aborts if a call fails.
  double CallsPerSecond(int connections, double seconds) const;

 private:
  const std::string address_;
  std::string request_;
};

}  // namespace signet
