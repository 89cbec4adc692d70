#include "bench/support/http_load.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstring>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>

namespace signet {
namespace {

constexpr size_t kBlock = size_t{256} << 10;

int PortOf(std::string_view address) {
  const std::string_view text = address.substr(address.rfind(':') + 1);
  int port = 0;
  std::from_chars(text.data(), text.data() + text.size(), port);
  return port;
}

}  // namespace

StatusOr<HttpConnection> HttpConnection::Open(const std::string& address) {
  HttpConnection out(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<uint16_t>(PortOf(address)));
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int on = 1;
  setsockopt(out.descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(out.descriptor_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
    return Unavailable("cannot connect to ", address);
  }
  return out;
}

HttpConnection::~HttpConnection() {
  if (descriptor_ >= 0) close(descriptor_);
}

HttpConnection::HttpConnection(HttpConnection&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), buffered_(std::move(other.buffered_)) {}

Status HttpConnection::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return Unavailable("the connection ended while a request was sent");
    bytes.remove_prefix(static_cast<size_t>(sent));
  }
  return absl::OkStatus();
}

StatusOr<int> HttpConnection::Receive(std::string& body) {
  auto receive = [&](char* to, size_t size) -> StatusOr<size_t> {
    const ssize_t received = recv(descriptor_, to, size, 0);
    if (received <= 0) return Unavailable("the connection ended before a response");
    return static_cast<size_t>(received);
  };
  size_t end;
  while ((end = buffered_.find("\r\n\r\n")) == std::string::npos) {
    const size_t before = buffered_.size();
    buffered_.resize(before + kBlock);
    auto received = receive(buffered_.data() + before, kBlock);
    buffered_.resize(before + (received.ok() ? *received : 0));
    SIGNET_RETURN_IF_ERROR(received.status());
  }
  const std::string head = buffered_.substr(0, end);
  int code = 0;
  std::from_chars(head.data() + std::min<size_t>(9, head.size()), head.data() + head.size(), code);
  // The line break excludes Inference-Header-Content-Length.
  constexpr std::string_view kLength = "\r\nContent-Length: ";
  const size_t header = head.find(kLength);
  if (header == std::string::npos) return Internal("expected a Content-Length in: ", head);
  size_t length = 0;
  std::from_chars(head.data() + header + kLength.size(), head.data() + head.size(), length);
  body.resize(length);
  const size_t there = std::min(length, buffered_.size() - end - 4);
  std::memcpy(body.data(), buffered_.data() + end + 4, there);
  buffered_.erase(0, end + 4 + there);
  for (size_t at = there; at < length;) {
    SIGNET_ASSIGN_OR_RETURN(size_t received, receive(body.data() + at, length - at));
    at += received;
  }
  return code;
}

HttpLoad::HttpLoad(std::string address, std::string_view path, std::string_view body,
                   std::string_view headers)
    : address_(std::move(address)),
      request_(Cat("POST ", path, " HTTP/1.1\r\nHost: localhost\r\n", headers,
                   "Content-Length: ", body.size(), "\r\n\r\n", body)) {}

StatusOr<std::string> HttpLoad::CallOnce() const {
  SIGNET_ASSIGN_OR_RETURN(HttpConnection connection, HttpConnection::Open(address_));
  SIGNET_RETURN_IF_ERROR(connection.Send(request_));
  std::string body;
  SIGNET_ASSIGN_OR_RETURN(int code, connection.Receive(body));
  if (code != 200) return Internal("code ", code, ": ", body.substr(0, 200));
  return body;
}

double HttpLoad::CallsPerSecond(int connections, double seconds) const {
  std::atomic<bool> is_measuring{false};
  std::atomic<bool> is_over{false};
  std::atomic<int64_t> calls{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < connections; ++i) {
    threads.emplace_back([&] {
      auto connection = HttpConnection::Open(address_);
      SIGNET_CHECK(connection.ok());
      std::string body;
      while (!is_over.load(std::memory_order_relaxed)) {
        SIGNET_CHECK(connection->Send(request_).ok());
        auto code = connection->Receive(body);
        SIGNET_CHECK(code.ok() && *code == 200);
        if (is_measuring.load(std::memory_order_relaxed)) calls.fetch_add(1);
      }
    });
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds / 5));
  const auto begin = std::chrono::steady_clock::now();
  is_measuring = true;
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  const int64_t counted = calls.load();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  is_over = true;
  for (std::thread& thread : threads) thread.join();
  return static_cast<double>(counted) / taken.count();
}

}  // namespace signet
