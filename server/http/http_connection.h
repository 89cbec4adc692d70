// MakeHttpConnection: one connection of an HttpServer, with or without TLS.
//
// http_server.h has the rules of a connection.

#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <set>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>

#include "server/http/body_bytes.h"
#include "server/http/connection_exchange.h"
#include "server/http/http_server.h"

namespace signet {

// What all connections of a server share. Thread-safe.
struct HttpConnections {
  HttpConnections(const HttpServer::Options& with, HttpServer::Handler handle)
      : options(with),
        handler(std::move(handle)),
        bodies(std::make_shared<ByteBudget>(with.total_body_bytes)) {}

  const HttpServer::Options options;
  const HttpServer::Handler handler;
  const std::shared_ptr<ByteBudget> bodies;
  std::atomic<bool> is_draining{false};
  std::atomic<bool> is_stopped{false};
  std::atomic<int64_t> count{0};
  std::mutex mu;
  std::set<HttpConnection*> open;  // guarded by mu; they remove themselves
};

// Counts the connection in `server`. `context` runs on one thread, and `socket` belongs to it.
// Without `certificates`, the connection is not encrypted. Start begins to read.
std::shared_ptr<HttpConnection> MakeHttpConnection(
    std::shared_ptr<HttpConnections> server, std::shared_ptr<boost::asio::io_context> context,
    boost::asio::ip::tcp::socket socket, std::shared_ptr<boost::asio::ssl::context> certificates);

}  // namespace signet
