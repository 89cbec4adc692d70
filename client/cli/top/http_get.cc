#include "client/cli/top/http_get.h"

#include <optional>
#include <string_view>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
// As in server/http/http_connection.cc.
#define BOOST_DISABLE_ASSERTS
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl/ssl_stream.hpp>

#include "client/lib/credentials.h"
#include "client/lib/host_port.h"
#include "client/lib/tls_diagnosis.h"

namespace signet {
namespace {

namespace beast = boost::beast;
namespace http = boost::beast::http;
namespace ssl = boost::asio::ssl;
using Tcp = boost::asio::ip::tcp;
using ErrorCode = beast::error_code;
using Request = http::request<http::empty_body>;

constexpr size_t kMostBytes = size_t{256} << 20;

// Runs one asynchronous operation until it has ended, and returns its error. Only asynchronous
// operations have a timeout.
template <class Start>
ErrorCode Await(boost::asio::io_context& io, const Start& start) {
  ErrorCode out;
  start([&out](const ErrorCode& error, auto&&...) { out = error; });
  io.restart();
  io.run();
  return out;
}

Status Unreachable(const ErrorCode& error) {
  if (error == beast::error::timeout) return Unavailable("the server does not answer");
  return Unavailable(error.message());
}

// Sends a request over a connected stream, and returns the body of the response.
template <class Stream>
StatusOr<std::string> Exchange(boost::asio::io_context& io, Stream& stream, Request& request) {
  ErrorCode error = Await(io, [&](auto done) { http::async_write(stream, request, done); });
  if (error.failed()) return Unreachable(error);
  beast::flat_buffer buffer;
  http::response_parser<http::string_body> parser;
  parser.body_limit(kMostBytes);
  error = Await(io, [&](auto done) { http::async_read_header(stream, buffer, parser, done); });
  // Reading the body would allocate the length that the header states.
  const bool is_too_large = !error.failed() && parser.content_length().value_or(0) > kMostBytes;
  if (!error.failed() && !is_too_large) {
    error = Await(io, [&](auto done) { http::async_read(stream, buffer, parser, done); });
  }
  if (is_too_large || error == http::error::body_limit) {
    return FailedPrecondition("the response has more than ", kMostBytes, " bytes");
  }
  if (error.failed() && error.category() == make_error_code(http::error::bad_version).category()) {
    return FailedPrecondition(
        "expected an HTTP response, found other bytes; is this the address of --http_listen?");
  }
  if (error.failed()) return Unreachable(error);
  if (parser.get().result() != http::status::ok) {
    const std::string reason(parser.get().reason());
    return FailedPrecondition("expected the status 200, found `", parser.get().result_int(), " ",
                              Printable(reason), "`");
  }
  return std::move(parser.get().body());
}

StatusOr<ssl::context> MakeTlsContext(const ClientOptions& options) {
  ssl::context out(ssl::context::tls_client);
  ErrorCode error;
  SSL_CTX_set_min_proto_version(out.native_handle(), TLS1_2_VERSION);
  if (options.ca_file.empty()) {
    out.set_default_verify_paths(error);
  } else {
    out.load_verify_file(options.ca_file, error);
    if (error.failed()) {
      return InvalidArgument("ca: cannot read certificates from `", Printable(options.ca_file),
                             "`: ", error.message());
    }
  }
  if (!options.certificate_file.empty()) {
    out.use_certificate_chain_file(options.certificate_file, error);
    if (!error.failed()) out.use_private_key_file(options.key_file, ssl::context::pem, error);
    if (error.failed()) {
      return InvalidArgument("cert and key: expected a certificate and its key in PEM: ",
                             error.message());
    }
  }
  out.set_verify_mode(ssl::verify_peer);
  return out;
}

}  // namespace

StatusOr<std::string> HttpGet(const std::string& address, const std::string& path,
                              const ClientOptions& given) {
  ClientOptions options = given;
  std::string_view host_port = address;
  if (host_port.starts_with("https://")) {
    host_port.remove_prefix(8);
    options.tls = true;
  } else if (host_port.starts_with("http://")) {
    host_port.remove_prefix(7);
    options.tls = false;
    for (std::string* setting :
         {&options.ca_file, &options.certificate_file, &options.key_file, &options.server_name}) {
      setting->clear();
    }
  }
  const std::string server_address(host_port);
  const std::optional<HostPort> server = ParseHostPort(host_port);
  if (!server.has_value()) {
    return InvalidArgument("`", Printable(address), "`: expected HOST:PORT");
  }
  const bool uses_tls = UsesTls(options);
  const std::string where = Cat(uses_tls ? "https://" : "http://", Printable(server_address), path);
  SIGNET_ASSIGN_OR_RETURN(std::string token, BearerTokenOf(server_address, options, uses_tls));
  Request request(http::verb::get, path, 11);
  request.set(http::field::host, server_address);
  request.set(http::field::connection, "close");
  if (!token.empty()) request.set(http::field::authorization, Cat("Bearer ", token));

  boost::asio::io_context io;
  ErrorCode error;
  Tcp::resolver resolver(io);
  const auto servers = resolver.resolve(server->host, server->port, error);
  if (error.failed()) return Unavailable("cannot read ", where, ": ", error.message());
  beast::tcp_stream stream(io);
  stream.expires_after(options.timeout);
  error = Await(io, [&](auto done) { stream.async_connect(servers, done); });
  if (error.failed()) return At(Cat("cannot read ", where), Unreachable(error));

  StatusOr<std::string> body;
  if (uses_tls) {
    SIGNET_ASSIGN_OR_RETURN(ssl::context context, MakeTlsContext(options));
    beast::ssl_stream<beast::tcp_stream&> secure(stream, context);
    const std::string& name = options.server_name.empty() ? server->host : options.server_name;
    SSL_set_tlsext_host_name(secure.native_handle(), name.c_str());
    secure.set_verify_callback(ssl::host_name_verification(name), error);
    error = Await(io, [&](auto done) { secure.async_handshake(ssl::stream_base::client, done); });
    body = error.failed() ? Unreachable(error) : Exchange(io, secure, request);
  } else {
    body = Exchange(io, stream, request);
  }
  if (body.ok()) return body;
  // The error of a connection states little more than that TLS failed, or that it was closed.
  if (std::string found = DiagnoseTls(server_address, options); !found.empty()) {
    return WithReason(kTlsFailed, Unavailable("cannot read ", where, ": ", found));
  }
  return At(where, body.status());
}

}  // namespace signet
