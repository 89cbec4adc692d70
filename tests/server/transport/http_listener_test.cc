#include "server/transport/http_listener.h"

#include <stdexcept>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include "client/cli/top/http_get.h"

namespace signet {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class HttpListenerTest : public testing::Test {
 protected:
  HttpListenerTest() {
    listener_.AddRoute("GET", "/hello",
                       [](const HttpRequest&) { return HttpResponse{.body = "hello\n"}; });
    listener_.AddRoute("POST", "/echo", [](const HttpRequest& request) {
      return HttpResponse{.body = request.body};
    });
    listener_.AddRoute("GET", "/fails", [](const HttpRequest&) -> HttpResponse {
      throw std::runtime_error("secret");
    });
    auto port = listener_.Start("127.0.0.1:0");
    EXPECT_TRUE(port.ok()) << port.status();
    if (port.ok()) port_ = *port;
  }

  // Sends a request and returns the response.
  std::string Send(const std::string& request) {
    const int fd = ConnectTo(port_);
    EXPECT_EQ(send(fd, request.data(), request.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(request.size()));
    std::string response;
    char buffer[4096];
    ssize_t size = 0;
    while ((size = recv(fd, buffer, sizeof(buffer), 0)) > 0) {
      response.append(buffer, static_cast<size_t>(size));
    }
    close(fd);
    return response;
  }
  static int ConnectTo(int port) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    return fd;
  }

  HttpListener listener_{{.max_connections = 8, .idle_seconds = 60, .max_body_bytes = 100}};
  int port_ = 0;
};

TEST_F(HttpListenerTest, AnswersRoutes) {
  auto body = HttpGet(Cat("localhost:", port_), "/hello", std::chrono::seconds(60));
  ASSERT_TRUE(body.ok()) << body.status();
  EXPECT_EQ(*body, "hello\n");
  std::string head = Send("HEAD /hello HTTP/1.0\r\n\r\n");
  EXPECT_THAT(head, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(head, testing::Not(HasSubstr("hello")));
  EXPECT_THAT(Send("POST /echo HTTP/1.0\r\nContent-Length: 4\r\n\r\nbody"),
              HasSubstr("\r\n\r\nbody"));
}

TEST_F(HttpListenerTest, RejectsWhatHasNoRoute) {
  EXPECT_THAT(
      Send("GET /none HTTP/1.0\r\n\r\n"),
      testing::AllOf(StartsWith("HTTP/1.1 404"), HasSubstr("paths: /echo, /fails, /hello")));
  EXPECT_THAT(Send("GET /echo HTTP/1.0\r\n\r\n"),
              testing::AllOf(StartsWith("HTTP/1.1 405"), HasSubstr("Allow: POST")));
  EXPECT_EQ(HttpGet(Cat("127.0.0.1:", port_), "/none", std::chrono::seconds(60)).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(HttpListenerTest, BoundsRequests) {
  EXPECT_THAT(Send("POST /echo HTTP/1.0\r\nContent-Length: 101\r\n\r\n"),
              StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(Send("POST /echo HTTP/1.0\r\nContent-Length: 99999999999999999999\r\n\r\n"),
              testing::Not(HasSubstr(" 200 ")));
  const std::string chunk(80, 'x');
  std::string chunked = "POST /echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 2; ++i) chunked += Cat("50\r\n", chunk, "\r\n");
  EXPECT_THAT(Send(chunked + "0\r\n\r\n"), testing::Not(HasSubstr(" 200 ")));
  EXPECT_THAT(Send("GET /hello HTTP/1.0\r\nX: " + std::string(40'000, 'x') + "\r\n\r\n"),
              testing::Not(HasSubstr(" 200 ")));
  EXPECT_THAT(Send("GET /hello HTTP/1.0\r\n\r\n"), HasSubstr("hello"));
}

TEST_F(HttpListenerTest, HidesTheErrorsOfHandlers) {
  EXPECT_THAT(Send("GET /fails HTTP/1.0\r\n\r\n"),
              testing::AllOf(StartsWith("HTTP/1.1 500"), testing::Not(HasSubstr("secret"))));
}

TEST_F(HttpListenerTest, BoundsConnections) {
  std::vector<int> open;
  for (int i = 0; i < 50; ++i) open.push_back(ConnectTo(port_));
  for (int fd : open) close(fd);
  for (int i = 0; i < 1000; ++i) {
    if (HttpGet(Cat("127.0.0.1:", port_), "/hello", std::chrono::seconds(60)).ok()) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ADD_FAILURE() << "no response after the connections were closed";
}

TEST_F(HttpListenerTest, RejectsAnAddressInUse) {
  HttpListener second({});
  EXPECT_EQ(second.Start(Cat("127.0.0.1:", port_)).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_FALSE(second.Start("no.such.host.invalid:1").ok());
}

}  // namespace
}  // namespace signet
