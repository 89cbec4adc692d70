// RawConnection: a TCP connection that writes single HTTP/2 frames, for tests of misbehaving
// clients.

#pragma once

#include <algorithm>
#include <cerrno>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace signet {

class RawConnection {
 public:
  explicit RawConnection(int port) {
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    fd_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    connected_ = connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof(address)) == 0;
  }
  ~RawConnection() { close(fd_); }
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  bool connected() const { return connected_; }

  // Returns false once the server has closed the connection.
  bool Send(std::string_view bytes) const {
    return send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }

  // Sends the bytes that the system accepts without blocking, and removes them from `bytes`.
  void SendSome(std::string_view& bytes) const {
    ssize_t count = send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    bytes.remove_prefix(static_cast<size_t>(std::max<ssize_t>(count, 0)));
  }

  // Returns gRPC's name of this client.
  std::string peer() const {
    sockaddr_in address = {};
    socklen_t size = sizeof(address);
    getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &size);
    return "ipv4:127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  }

  // Sends the preface and a SETTINGS frame with `settings` as its payload.
  bool Greet(std::string_view settings = "") const {
    return Send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + Frame(4, 0, 0, settings));
  }

  // Reads and discards all received bytes. Returns false if the server has closed the connection.
  bool Discard() const {
    char bytes[4096];
    while (true) {
      ssize_t count = recv(fd_, bytes, sizeof(bytes), MSG_DONTWAIT);
      if (count == 0) return false;
      if (count < 0) return errno == EAGAIN;
    }
  }

  // Returns true if the server closes the connection before `milliseconds` without a byte.
  bool WaitUntilClosed(int milliseconds) const {
    pollfd poll_for = {fd_, POLLIN, 0};
    while (poll(&poll_for, 1, milliseconds) > 0) {
      if (!Discard()) return true;
    }
    return false;
  }

  // Returns true if the server sends `bytes` before `milliseconds` without a byte.
  bool WaitFor(std::string_view bytes, int milliseconds) const {
    std::string received;
    pollfd poll_for = {fd_, POLLIN, 0};
    while (poll(&poll_for, 1, milliseconds) > 0) {
      char buffer[4096];
      ssize_t count = recv(fd_, buffer, sizeof(buffer), MSG_DONTWAIT);
      if (count <= 0) return false;
      received.append(buffer, static_cast<size_t>(count));
      if (received.find(bytes) != std::string::npos) return true;
    }
    return false;
  }

  // Makes the destructor end the connection with a TCP reset.
  void ResetOnClose() const {
    linger at_once = {.l_onoff = 1, .l_linger = 0};
    setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof(at_once));
  }

  static std::string Frame(int type, int flags, uint32_t stream, std::string_view payload) {
    std::string out;
    for (int shift : {16, 8, 0}) out += static_cast<char>(payload.size() >> shift);
    out += static_cast<char>(type);
    out += static_cast<char>(flags);
    for (int shift : {24, 16, 8, 0}) out += static_cast<char>(stream >> shift);
    return out.append(payload);
  }

  // Returns the HEADERS frame of a gRPC call to `path`.
  static std::string CallHeaders(uint32_t stream, std::string_view path) {
    std::string block;
    auto add = [&block](std::string_view name, std::string_view value) {
      block += '\0';  // a literal that is not indexed, with its name
      for (std::string_view text : {name, value}) {
        block += static_cast<char>(text.size());
        block += text;
      }
    };
    add(":method", "POST");
    add(":scheme", "http");
    add(":path", path);
    add(":authority", "localhost");
    add("te", "trailers");
    add("content-type", "application/grpc");
    return Frame(1, 4, stream, block);
  }

 private:
  int fd_ = -1;
  bool connected_ = false;
};

}  // namespace signet
