#include "server/http/http_server.h"

#include <atomic>
#include <future>
#include <stdexcept>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>

#include "client/cli/top/http_get.h"
#include "server/transport/compression.h"
#include "server/transport/unread_responses.h"

namespace signet {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Responds by the path.
void Serve(const std::shared_ptr<HttpExchange>& exchange) {
  const HttpRequest& request = exchange->request();
  if (request.path == "/fails") throw std::runtime_error("secret");
  if (request.path == "/forgets") return;
  if (request.path == "/later") {
    std::thread([exchange] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      exchange->Respond(HttpResponse::Text(200, "later\n"));
    }).detach();
    return;
  }
  if (request.path == "/large") {
    HttpResponse response = HttpResponse::Text(200, std::string(300'000, 'x'));
    response.may_compress = true;
    return exchange->Respond(std::move(response));
  }
  HttpResponse response = HttpResponse::Text(200, "");
  response.body = {request.body,
                   Buffer::Copy(Cat("|", request.method, " ", request.path, "?", request.query))};
  exchange->Respond(std::move(response));
}

class HttpServerTest : public testing::Test {
 protected:
  HttpServerTest() {
    auto port = server_.Start("127.0.0.1:0", nullptr);
    EXPECT_TRUE(port.ok()) << port.status();
    if (port.ok()) port_ = *port;
  }

  // Sends a request, in pieces, and returns all bytes until the server closes the connection.
  std::string Send(const std::vector<std::string>& pieces) {
    const int fd = ConnectTo(port_);
    for (const std::string& piece : pieces) {
      if (&piece != pieces.data()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
      send(fd, piece.data(), piece.size(), MSG_NOSIGNAL);
    }
    std::string response;
    char buffer[4096];
    ssize_t size = 0;
    while ((size = recv(fd, buffer, sizeof(buffer), 0)) > 0) {
      response.append(buffer, static_cast<size_t>(size));
    }
    close(fd);
    return response;
  }
  std::string Send(const std::string& request) { return Send(std::vector<std::string>{request}); }

  static int ConnectTo(int port) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<uint16_t>(port));
    EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    return fd;
  }

  HttpServer server_{{.threads = 2,
                      .max_connections = 8,
                      .idle_seconds = 60,
                      .header_seconds = 1,
                      .body_bytes = 100'000},
                     Serve};
  int port_ = 0;
};

TEST_F(HttpServerTest, AnswersRequests) {
  auto body = HttpGet(Cat("localhost:", port_), "/hello", {.timeout = std::chrono::seconds(60)});
  ASSERT_TRUE(body.ok()) << body.status();
  EXPECT_EQ(*body, "|GET /hello?");
  const std::string head = Send("HEAD /large HTTP/1.0\r\n\r\n");
  EXPECT_THAT(head, AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("Content-Length: 300000")));
  EXPECT_TRUE(head.ends_with("\r\n\r\n")) << head;
  EXPECT_THAT(Send("POST /echo?a=1 HTTP/1.0\r\nContent-Length: 4\r\n\r\nbody"),
              HasSubstr("\r\n\r\nbody|POST /echo?a=1"));
  EXPECT_THAT(Send("GET http://host:1/path?q HTTP/1.0\r\n\r\n"), HasSubstr("|GET /path?q"));
  EXPECT_THAT(Send("GET /later HTTP/1.0\r\n\r\n"), HasSubstr("later"));
}

TEST_F(HttpServerTest, KeepsConnectionsOpen) {
  const std::string request = "POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\nhi";
  const std::string last = "GET /b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  // In one piece, in pieces, and in any other cut.
  for (size_t cut = 0; cut <= request.size(); cut += 7) {
    const std::string all = Send({request.substr(0, cut), request.substr(cut) + request + last});
    EXPECT_THAT(all, AllOf(HasSubstr("hi|POST /a?HTTP/1.1 200"), HasSubstr("|GET /b?")));
  }
}

TEST_F(HttpServerTest, ReadsChunks) {
  const std::string chunked =
      "POST /c HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
      "Transfer-Encoding: chunked\r\n\r\n";
  EXPECT_THAT(Send({chunked + "3\r\nabc\r\n", "2\r\nde\r", "\n0\r\n\r\n"}),
              HasSubstr("abcde|POST"));
  EXPECT_THAT(Send(chunked + "zz\r\nabc\r\n"), StartsWith("HTTP/1.1 400"));
  std::string large = chunked;
  for (int i = 0; i < 200; ++i) large += Cat("400\r\n", std::string(1024, 'x'), "\r\n");
  EXPECT_THAT(Send(large + "0\r\n\r\n"), StartsWith("HTTP/1.1 413"));
}

TEST_F(HttpServerTest, RejectsOtherTransferCodings) {
  for (const char* coding :
       {"gzip", "gzip, chunked", "chunked, gzip", "identity", "xchunked", ""}) {
    const std::string all = Send(Cat("POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: ", coding,
                                     "\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n"));
    EXPECT_THAT(all, AllOf(StartsWith("HTTP/1.1 501"), HasSubstr("expected chunked, found"),
                           Not(HasSubstr("GET /smuggled"))))
        << coding;
  }
  EXPECT_THAT(Send("POST /c HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
                   "Transfer-Encoding: Chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n"),
              HasSubstr("hi|POST /c"));
}

TEST_F(HttpServerTest, LimitsRequests) {
  EXPECT_THAT(Send("POST /echo HTTP/1.0\r\nContent-Length: 100001\r\n\r\n"),
              StartsWith("HTTP/1.1 413"));
  EXPECT_THAT(Send("POST /echo HTTP/1.0\r\nContent-Length: 99999999999999999999\r\n\r\n"),
              StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(Send("GET /a HTTP/1.0\r\nX: " + std::string(40'000, 'x') + "\r\n\r\n"),
              StartsWith("HTTP/1.1 431"));
  EXPECT_THAT(Send("nonsense\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(Send("GET relative HTTP/1.0\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(Send(std::string(1000, '\0')), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(Send("GET /a HTTP/1.0\r\n\r\n"), HasSubstr("|GET /a"));
}

TEST_F(HttpServerTest, RequiresOneHost) {
  const std::string close = "Connection: close\r\n\r\n";
  EXPECT_THAT(Send("GET /a HTTP/1.1\r\n" + close), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(Send("GET /a HTTP/1.1\r\nHost: a\r\nhost: b\r\n" + close),
              AllOf(StartsWith("HTTP/1.1 400"), HasSubstr("expected one header Host, found 2")));
  EXPECT_THAT(Send("GET /a HTTP/1.0\r\nHost: a\r\nHost: a\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(Send("GET /a HTTP/1.1\r\nHost: a\r\n" + close), HasSubstr("|GET /a"));
  EXPECT_THAT(Send("GET /a HTTP/1.0\r\n\r\n"), HasSubstr("|GET /a"));
}

TEST_F(HttpServerTest, SendsContinueForAnyCaseOfLetters) {
  for (const char* word : {"100-continue", "100-Continue", "100-CONTINUE"}) {
    EXPECT_THAT(Send({Cat("POST /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: ", word,
                          "\r\nContent-Length: 2\r\n\r\n"),
                      "hi"}),
                AllOf(StartsWith("HTTP/1.1 100 Continue\r\n\r\n"), HasSubstr("hi|POST")))
        << word;
  }
}

TEST_F(HttpServerTest, ChecksHeadersFirst) {
  std::string seen;
  HttpServer server({.cors_origins = {},
                     .check = [&](const HttpRequest& head) -> Status {
                       seen = Cat(head.Header("host"), head.is_https ? " https" : "");
                       return head.Header("host") == "evil" ? InvalidArgument("not here")
                                                            : absl::OkStatus();
                     }},
                    Serve);
  auto port = server.Start("127.0.0.1:0", nullptr);
  ASSERT_TRUE(port.ok()) << port.status();
  port_ = *port;
  EXPECT_THAT(Send("POST /a HTTP/1.0\r\nHost: evil\r\nContent-Length: 9\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 403"), HasSubstr("not here")));
  EXPECT_THAT(Send("GET http://other:80/a HTTP/1.0\r\nHost: evil\r\n\r\n"), HasSubstr("|GET /a"));
  EXPECT_EQ(seen, "other:80");
}

TEST_F(HttpServerTest, LetsPagesReadItsOwnErrors) {
  HttpServer server(
      {.header_bytes = 4096, .body_bytes = 1000, .cors_origins = {"http://a.example"}}, Serve);
  auto port = server.Start("127.0.0.1:0", nullptr);
  ASSERT_TRUE(port.ok()) << port.status();
  port_ = *port;
  const std::string origin = "Origin: http://a.example\r\n";
  const std::string chunked = "Transfer-Encoding: chunked\r\n\r\n";
  const std::vector<std::pair<std::string, std::string>> requests = {
      {"500", "GET /fails HTTP/1.0\r\n" + origin + "\r\n"},
      {"500", "GET /forgets HTTP/1.0\r\n" + origin + "\r\n"},
      {"400", "GET relative HTTP/1.0\r\n" + origin + "\r\n"},
      {"400", "GET /a HTTP/7.5\r\n" + origin + "\r\n"},
      {"400", "GET /a HTTP/1.1\r\n" + origin + "no colon\r\n\r\n"},
      {"431", "GET /a HTTP/1.1\r\n" + origin + "X: " + std::string(10'000, 'x') + "\r\n\r\n"},
      {"413", "POST /a HTTP/1.0\r\n" + origin + "Content-Length: 1001\r\n\r\n"},
      {"413", "POST /a HTTP/1.1\r\nHost: x\r\n" + origin + chunked + "fff\r\n" +
                  std::string(4095, 'x') + "\r\n0\r\n\r\n"},
      {"400", "POST /a HTTP/1.1\r\nHost: x\r\n" + origin + chunked + "zz\r\n"},
      {"400",
       "POST /a HTTP/1.0\r\n" + origin + "Content-Encoding: br\r\nContent-Length: 1\r\n\r\nx"}};
  for (const auto& [code, request] : requests) {
    EXPECT_THAT(Send(request),
                AllOf(StartsWith("HTTP/1.1 " + code), HasSubstr("\r\nVary: Origin\r\n"),
                      HasSubstr("\r\nAccess-Control-Allow-Origin: http://a.example\r\n")))
        << request;
  }
  const std::string other = Send("GET relative HTTP/1.0\r\nOrigin: http://b.example\r\n\r\n");
  EXPECT_THAT(other, Not(HasSubstr("Access-Control-Allow-Origin")));
  HttpServer full({.total_body_bytes = 10, .cors_origins = {"*"}}, Serve);
  port = full.Start("127.0.0.1:0", nullptr);
  ASSERT_TRUE(port.ok()) << port.status();
  port_ = *port;
  EXPECT_THAT(Send("POST /a HTTP/1.0\r\n" + origin + "Content-Length: 2000000\r\n\r\n" +
                   std::string(2'000'000, 'x')),
              AllOf(StartsWith("HTTP/1.1 503"),
                    HasSubstr("\r\nAccess-Control-Allow-Origin: http://a.example\r\n")));
}

TEST_F(HttpServerTest, LimitsTheBodiesOfAllConnectionsTogether) {
  HttpServer small({.threads = 1, .body_bytes = 100'000, .total_body_bytes = 50'000}, Serve);
  auto port = small.Start("127.0.0.1:0", nullptr);
  ASSERT_TRUE(port.ok()) << port.status();
  port_ = *port;
  const int held = ConnectTo(port_);
  const std::string part =
      "POST /a HTTP/1.0\r\nContent-Length: 60000\r\n\r\n" + std::string(30'000, 'x');
  ASSERT_EQ(send(held, part.data(), part.size(), MSG_NOSIGNAL), static_cast<ssize_t>(part.size()));
  const std::string other =
      "POST /b HTTP/1.0\r\nContent-Length: 40000\r\n\r\n" + std::string(40'000, 'y');
  std::string response;
  for (int i = 0; i < 500 && !response.starts_with("HTTP/1.1 503"); ++i) response = Send(other);
  EXPECT_THAT(response, AllOf(StartsWith("HTTP/1.1 503"), HasSubstr("Retry-After: 1"),
                              HasSubstr("--max_received_bytes")));
  close(held);
  for (int i = 0; i < 500 && !response.starts_with("HTTP/1.1 200"); ++i) response = Send(other);
  EXPECT_THAT(response, StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpServerTest, ExpandsAndCompresses) {
  const std::string text(5000, 'y');
  auto post = [&](const std::string& body, std::string_view encoding) {
    return Send(Cat("POST /g HTTP/1.0\r\nContent-Encoding: ", encoding,
                    "\r\nContent-Length: ", body.size(), "\r\n\r\n", body));
  };
  const Buffer piece = Buffer::Copy(text);
  const std::string packed = Compress(Compression::kGzip, {&piece, 1});
  EXPECT_THAT(post(packed, "gzip"), HasSubstr(text + "|POST"));
  EXPECT_THAT(post(packed.substr(0, packed.size() - 9), "gzip"),
              AllOf(StartsWith("HTTP/1.1 400"), HasSubstr("truncated")));
  EXPECT_THAT(post("not gzip", "gzip"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(post(packed + "more", "gzip"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(post(packed + packed, "gzip"), HasSubstr(text + text + "|POST"));
  const std::string empty = Compress(Compression::kGzip, {});
  EXPECT_THAT(post(packed + empty, "gzip"), HasSubstr(text + "|POST"));
  EXPECT_THAT(post(packed + packed.substr(0, packed.size() - 1), "gzip"),
              AllOf(StartsWith("HTTP/1.1 400"), HasSubstr("truncated")));
  EXPECT_THAT(post(text, "Identity"), HasSubstr(text + "|POST"));
  EXPECT_THAT(post(text, "br"), AllOf(StartsWith("HTTP/1.1 400"), HasSubstr("expected gzip"),
                                      HasSubstr("Accept-Encoding: gzip, deflate")));
  const Buffer huge = Buffer::Copy(std::string(10'000'000, 'z'));
  for (Compression compression : {Compression::kGzip, Compression::kDeflate}) {
    EXPECT_THAT(post(Compress(compression, {&huge, 1}), NameOf(compression)),
                AllOf(StartsWith("HTTP/1.1 413"), HasSubstr("limit of 100000 bytes")));
  }
  const std::string deflated = Compress(Compression::kDeflate, {&piece, 1});
  EXPECT_THAT(post(deflated, "deflate"), HasSubstr(text + "|POST"));
  EXPECT_THAT(post(deflated, "Deflate"), HasSubstr(text + "|POST"));
  // Some clients omit the header of 2 bytes and the checksum of 4 bytes.
  EXPECT_THAT(post(deflated.substr(2, deflated.size() - 6), "deflate"), HasSubstr(text + "|POST"));
  EXPECT_THAT(post(deflated.substr(0, deflated.size() - 1), "deflate"),
              AllOf(StartsWith("HTTP/1.1 400"), HasSubstr("the deflate text is truncated")));
  EXPECT_THAT(post(packed, "deflate"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(post("", "deflate"), StartsWith("HTTP/1.1 400"));
  const std::string answer = Send("GET /large HTTP/1.0\r\nAccept-Encoding: br, gzip;q=0.5\r\n\r\n");
  EXPECT_THAT(answer, HasSubstr("Content-Encoding: gzip"));
  auto body_of = [](const std::string& response, Compression compression) {
    auto expanded = Expand(compression, response.substr(response.find("\r\n\r\n") + 4), 1'000'000);
    return expanded.ok() ? std::string(expanded->text())
                         : std::string(MessageOf(expanded.status()));
  };
  EXPECT_EQ(body_of(answer, Compression::kGzip), std::string(300'000, 'x'));
  const std::string other = Send("GET /large HTTP/1.0\r\nAccept-Encoding: deflate\r\n\r\n");
  EXPECT_THAT(other, HasSubstr("Content-Encoding: deflate"));
  EXPECT_EQ(body_of(other, Compression::kDeflate), std::string(300'000, 'x'));
  EXPECT_THAT(Send("GET /large HTTP/1.0\r\nAccept-Encoding: gzip;q=0\r\n\r\n"),
              Not(HasSubstr("Content-Encoding")));
}

TEST(CompressionTest, SelectsTheCompressionThatTheClientPrefers) {
  auto selected = [](std::string_view accepted) -> std::string_view {
    const auto found = AcceptedCompression(accepted);
    return found ? NameOf(*found) : "none";
  };
  for (const auto& [accepted, expected] : {std::pair("gzip", "gzip"),
                                           {"deflate, gzip", "deflate"},
                                           {"gzip, deflate", "gzip"},
                                           {"gzip;q=0.5, deflate;q=1.0", "deflate"},
                                           {"br, gzip; q=0.1", "gzip"},
                                           {"identity, gzip;q=0.5", "none"},
                                           {"identity;q=0.2, gzip;q=0.5", "gzip"},
                                           {"gzip;q=0, deflate;q=0", "none"},
                                           {"gzip;q=x", "none"},
                                           {"br", "none"},
                                           {"", "none"},
                                           {" , GZIP ,", "gzip"}}) {
    EXPECT_EQ(selected(accepted), expected) << accepted;
  }
}

TEST_F(HttpServerTest, LetsTheOwnerOfAPathWriteErrors) {
  HttpServer server({.threads = 1,
                     .body_bytes = 10,
                     .failure =
                         [](const HttpRequest& head, int code, std::string_view text) {
                           return HttpResponse::Text(code, Cat("<", head.path, ">", text));
                         }},
                    Serve);
  auto port = server.Start("127.0.0.1:0", nullptr);
  ASSERT_TRUE(port.ok()) << port.status();
  const int fd = ConnectTo(*port);
  const std::string request = "POST /a HTTP/1.0\r\nContent-Length: 11\r\n\r\n01234567890";
  ASSERT_EQ(send(fd, request.data(), request.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(request.size()));
  std::string response(4096, '\0');
  const ssize_t size = recv(fd, response.data(), response.size(), 0);
  close(fd);
  ASSERT_GT(size, 0);
  EXPECT_THAT(response, AllOf(StartsWith("HTTP/1.1 413"), HasSubstr("</a>expected a body")));
}

TEST_F(HttpServerTest, HidesTheErrorsOfHandlers) {
  EXPECT_THAT(Send("GET /fails HTTP/1.0\r\n\r\n"),
              AllOf(StartsWith("HTTP/1.1 500"), Not(HasSubstr("secret"))));
  EXPECT_THAT(Send("GET /forgets HTTP/1.0\r\n\r\n"), StartsWith("HTTP/1.1 500"));
}

TEST_F(HttpServerTest, LimitsConnections) {
  std::vector<int> open;
  for (int i = 0; i < 50; ++i) open.push_back(ConnectTo(port_));
  for (int i = 0; i < 1000 && server_.num_connections() < 8; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_EQ(server_.num_connections(), 8);
  for (int fd : open) close(fd);
  for (int i = 0; i < 1000; ++i) {
    if (HttpGet(Cat("127.0.0.1:", port_), "/hello", {.timeout = std::chrono::seconds(60)}).ok())
      return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ADD_FAILURE() << "no response after the connections were closed";
}

TEST_F(HttpServerTest, ClosesConnectionsThatSendTheirHeadersSlowly) {
  const int fd = ConnectTo(port_);
  send(fd, "GET /", 5, MSG_NOSIGNAL);
  char byte = 0;
  EXPECT_LE(recv(fd, &byte, 1, 0), 0);
  close(fd);
}

TEST_F(HttpServerTest, TellsWhenAClientIsGone) {
  std::promise<void> cancelled;
  HttpServer server({}, [&](std::shared_ptr<HttpExchange> exchange) {
    exchange->OnCancel([&, exchange] { cancelled.set_value(); });
  });
  auto port = server.Start("127.0.0.1:0", nullptr);
  ASSERT_TRUE(port.ok());
  const int fd = ConnectTo(*port);
  const std::string request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  send(fd, request.data(), request.size(), MSG_NOSIGNAL);
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  close(fd);
  EXPECT_EQ(cancelled.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
}

TEST_F(HttpServerTest, AnswersClientsThatStopSending) {
  std::promise<std::shared_ptr<HttpExchange>> arrived;
  std::atomic<bool> cancelled = false;
  HttpServer server({}, [&](std::shared_ptr<HttpExchange> exchange) {
    exchange->OnCancel([&] { cancelled = true; });
    arrived.set_value(std::move(exchange));
  });
  auto port = server.Start("127.0.0.1:0", nullptr);
  ASSERT_TRUE(port.ok());
  const int fd = ConnectTo(*port);
  const std::string request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  send(fd, request.data(), request.size(), MSG_NOSIGNAL);
  auto exchange = arrived.get_future().get();
  shutdown(fd, SHUT_WR);
  std::string response(9, '\0');  // shows that the server has seen the end
  ASSERT_EQ(recv(fd, response.data(), response.size(), MSG_WAITALL), 9);
  EXPECT_FALSE(cancelled);
  exchange->Respond(HttpResponse::Text(200, "late\n"));
  exchange = nullptr;
  char byte = 0;
  while (recv(fd, &byte, 1, 0) == 1) response += byte;
  close(fd);
  EXPECT_THAT(response, AllOf(StartsWith("HTTP/1.1 200 OK\r\n"), HasSubstr("Connection: close"),
                              testing::EndsWith("\r\n\r\nlate\n")));
}

TEST_F(HttpServerTest, LimitsUnreadResponses) {
  Listener listener({});
  UnreadResponses unread(listener, /*max_bytes=*/40'000'000, /*max_connection_bytes=*/40'000'000);
  HttpServer server({.unread = &unread}, [](std::shared_ptr<HttpExchange> exchange) {
    if (exchange->request().path == "/small") {
      return exchange->Respond(HttpResponse::Text(200, "small\n"));
    }
    exchange->Respond(HttpResponse::Text(200, std::string(30'000'000, 'x')));
  });
  auto port = server.Start("127.0.0.1:0", nullptr);
  ASSERT_TRUE(port.ok());
  port_ = *port;
  const int held = ConnectTo(port_);
  const std::string request = "GET / HTTP/1.0\r\n\r\n";
  send(held, request.data(), request.size(), MSG_NOSIGNAL);
  while (unread.bytes() == 0) std::this_thread::yield();
  EXPECT_THAT(Send(request), AllOf(StartsWith("HTTP/1.1 429"), HasSubstr("--max_unread_bytes")));
  EXPECT_THAT(Send("GET /small HTTP/1.0\r\n\r\n"), StartsWith("HTTP/1.1 200"));
  close(held);
  while (unread.bytes() != 0) std::this_thread::yield();
  EXPECT_THAT(Send(request), StartsWith("HTTP/1.1 200"));
}

TEST_F(HttpServerTest, FinishesRequestsWhenItDrains) {
  std::promise<std::shared_ptr<HttpExchange>> arrived;
  HttpServer server({}, [&](const auto& exchange) { arrived.set_value(exchange); });
  auto port = server.Start("127.0.0.1:0", nullptr);
  ASSERT_TRUE(port.ok()) << port.status();
  const int fd = ConnectTo(*port);
  const std::string request = "GET / HTTP/1.1\r\nHost: x\r\n\r\n";
  send(fd, request.data(), request.size(), MSG_NOSIGNAL);
  const auto exchange = arrived.get_future().get();
  server.Drain();
  exchange->Respond(HttpResponse::Text(200, "later\n"));
  std::string response(1000, '\0');
  const ssize_t size = recv(fd, response.data(), response.size(), 0);
  ASSERT_GT(size, 0);
  EXPECT_THAT(response, HasSubstr("Connection: close"));
  close(fd);
  EXPECT_FALSE(HttpGet(Cat("127.0.0.1:", *port), "/a", {.timeout = std::chrono::seconds(5)}).ok());
}

TEST_F(HttpServerTest, RejectsAnAddressInUse) {
  HttpServer second({}, Serve);
  EXPECT_EQ(second.Start(Cat("127.0.0.1:", port_), nullptr).status().code(),
            absl::StatusCode::kUnavailable);
  HttpServer third({}, Serve);
  EXPECT_FALSE(third.Start("no.such.host.invalid:1", nullptr).ok());
}

}  // namespace
}  // namespace signet
