// Law: what the handler receives and what the client reads do not depend on how the bytes of the
// client are split into reads, each request is within the limits, and the connection ends after the
// client has closed it. The first byte selects the size of the reads.
//
// The reason for which headers are rejected is not compared, because it may depend on the reads:
// the parser sees a malformed line at once, or only when all headers or too many bytes were read.
// For the same reason, the end of headers follows the bytes.

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include "server/http/http_connection.h"
#include "signet/status.h"

namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using signet::Buffer;
using signet::Cat;
using signet::HttpConnections;
using signet::HttpExchange;
using signet::HttpResponse;
using signet::HttpServer;
using signet::StatusOr;

constexpr size_t kHeaderBytes = 2048;
constexpr size_t kBodyBytes = 4096;

// Reads the body of a stream, and sends each piece back.
void Echo(const std::shared_ptr<HttpExchange>& exchange, std::string& received) {
  exchange->Read([exchange, &received](StatusOr<Buffer> piece) {
    if (!piece.ok()) return exchange->Respond(HttpResponse::Text(400, "the body is malformed\n"));
    if (piece->size() == 0) {
      received += "end of stream\n";
      return exchange->Respond(HttpResponse::Text(200, "read\n"));
    }
    received += piece->text();
    Echo(exchange, received);
  });
}

// Returns the requests that the handler received and the bytes that the client read.
std::string Serve(std::string_view bytes, size_t step) {
  std::string received;
  HttpServer::Options options;
  options.header_bytes = kHeaderBytes;
  options.body_bytes = kBodyBytes;
  options.total_body_bytes = size_t{1} << 20;
  options.streams = [](const signet::HttpRequest& head) {
    return head.path.starts_with("/stream");
  };
  options.failure = [](const signet::HttpRequest&, int code, std::string_view text) {
    const bool is_of_headers =
        code == 431 || (code == 400 && text.starts_with("expected a request"));
    return is_of_headers ? HttpResponse::Text(400, "the headers are rejected\n")
                         : HttpResponse::Text(code, Cat(text, "\n"));
  };
  auto handler = [&received](const std::shared_ptr<HttpExchange>& exchange) {
    const signet::HttpRequest& request = exchange->request();
    SIGNET_CHECK(request.path.starts_with('/') && request.body.size() <= kBodyBytes);
    received += Cat(request.method, " ", request.path, "?", request.query, "\n");
    for (const auto& [name, value] : request.headers) {
      SIGNET_CHECK((name + value).find_first_of("\r\n") == std::string::npos);
      received += Cat(name, ":", value, "\n");
    }
    received += Cat(request.body.text(), "\n");
    if (request.path.starts_with("/stream")) return Echo(exchange, received);
    exchange->Respond(HttpResponse::Text(200, request.body.text()));
  };
  auto connections = std::make_shared<HttpConnections>(options, handler);
  auto context = std::make_shared<asio::io_context>(1);
  static asio::io_context of_clients;
  static tcp::acceptor acceptor(of_clients, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
  tcp::socket client(of_clients);
  boost::system::error_code error;
  client.connect(acceptor.local_endpoint(), error);
  if (error == asio::error::interrupted) {  // by the timer of libFuzzer
    client.wait(tcp::socket::wait_write, error);
  }
  SIGNET_CHECK(!error);
  connections->count.fetch_add(1);
  MakeHttpConnection(connections, context, acceptor.accept(*context), nullptr)->Start();

  while (!bytes.empty() && !error) {
    const std::string_view part = bytes.substr(0, step);
    bytes.remove_prefix(part.size());
    asio::write(client, asio::buffer(part), error);
    context->poll();
    context->restart();
  }
  client.shutdown(tcp::socket::shutdown_send, error);
  context->run();  // until the connection has ended
  SIGNET_CHECK(connections->count.load() == 0);
  std::array<char, 4096> read;
  while (true) {
    const size_t count = client.read_some(asio::buffer(read), error);
    if (error) break;
    received.append(read.data(), count);
  }
  return received;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  // All responses have room in the buffers of the sockets.
  if (size == 0 || size > size_t{16} << 10) return 0;
  std::string bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  bytes += "\r\n\r\n";
  const std::string whole = Serve(bytes, bytes.size());
  const std::string split = Serve(bytes, 1 + data[0]);
  SIGNET_CHECK(whole == split);
  return 0;
}
