#include "client/cli/top/http_get.h"

#include <cerrno>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <poll.h>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>

namespace signet {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr size_t kMostBytes = size_t{256} << 20;

class Socket {
 public:
  explicit Socket(int fd) : fd_(fd) {}
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  int fd() const { return fd_; }

 private:
  const int fd_;
};

// Waits for `events`. Returns false after `end`.
bool WaitFor(int fd, short events, steady_clock::time_point end) {
  while (true) {
    const auto left = std::chrono::duration_cast<milliseconds>(end - steady_clock::now());
    if (left.count() <= 0) return false;
    pollfd waiting = {fd, events, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(left.count()));
    if (ready > 0) return true;
    if (ready < 0 && errno != EINTR) return false;
  }
}

// Connects to one address. Returns 0 or an error number.
int Connect(int fd, const addrinfo& address, steady_clock::time_point end) {
  if (connect(fd, address.ai_addr, address.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  if (!WaitFor(fd, POLLOUT, end)) return ETIMEDOUT;
  int error = 0;
  socklen_t size = sizeof(error);
  getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

StatusOr<std::string> Exchange(int fd, std::string_view request, steady_clock::time_point end) {
  while (!request.empty()) {
    if (!WaitFor(fd, POLLOUT, end)) return Unavailable("the server does not answer");
    const ssize_t sent = send(fd, request.data(), request.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno != EAGAIN && errno != EINTR) return Unavailable(std::strerror(errno));
    if (sent > 0) request.remove_prefix(static_cast<size_t>(sent));
  }
  std::string response;
  char buffer[64 << 10];
  while (response.size() < kMostBytes) {
    if (!WaitFor(fd, POLLIN, end)) return Unavailable("the server does not answer");
    const ssize_t received = recv(fd, buffer, sizeof(buffer), 0);
    if (received == 0) return response;
    if (received < 0 && errno != EAGAIN && errno != EINTR) return Unavailable(std::strerror(errno));
    if (received > 0) response.append(buffer, static_cast<size_t>(received));
  }
  return FailedPrecondition("the response has more than ", kMostBytes, " bytes");
}

// Returns the body of a response to a request of HTTP/1.0, which is neither chunked nor continued.
StatusOr<std::string> BodyOf(std::string response) {
  const size_t end = response.find("\r\n\r\n");
  const std::string_view line = std::string_view(response).substr(0, response.find("\r\n"));
  if (end == std::string::npos || !line.starts_with("HTTP/1.")) {
    return FailedPrecondition(
        "expected an HTTP response, found other bytes; is this the address of "
        "--http_listen?");
  }
  if (line.substr(8, 4) != " 200") {
    return FailedPrecondition("expected the status 200, found `", Printable(line), "`");
  }
  response.erase(0, end + 4);
  return response;
}

}  // namespace

StatusOr<std::string> HttpGet(const std::string& address, const std::string& path,
                              milliseconds timeout) {
  const auto end = steady_clock::now() + timeout;
  const std::string where = Cat("http://", Printable(address), path);
  const size_t colon = address.rfind(':');
  if (colon == std::string::npos) {
    return InvalidArgument("`", Printable(address), "`: expected HOST:PORT");
  }
  std::string host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  int error = getaddrinfo(host.c_str(), address.c_str() + colon + 1, &hints, &found);
  if (error != 0) return Unavailable("cannot read ", where, ": ", gai_strerror(error));
  std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(found, freeaddrinfo);
  for (const addrinfo* next = found; next != nullptr; next = next->ai_next) {
    Socket socket_to(socket(next->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    error = socket_to.fd() < 0 ? errno : Connect(socket_to.fd(), *next, end);
    if (error != 0) continue;
    auto response = Exchange(socket_to.fd(),
                             Cat("GET ", path, " HTTP/1.0\r\nHost: ", address, "\r\n\r\n"), end);
    if (!response.ok()) return At(where, response.status());
    auto body = BodyOf(*std::move(response));
    return body.ok() ? std::move(body) : At(where, body.status());
  }
  return Unavailable("cannot read ", where, ": ", std::strerror(error));
}

}  // namespace signet
