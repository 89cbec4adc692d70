// HttpServer: serves HTTP/1.1, with or without TLS, on threads of its own.
//
//   HttpServer http({.threads = 2}, [](std::shared_ptr<HttpExchange> exchange) {
//     exchange->Respond(HttpResponse::Text(200, "hello\n"));
//   });
//   SIGNET_ASSIGN_OR_RETURN(int port, http.Start("127.0.0.1:8501", nullptr));
//
// It is built on Boost.Beast: a connection that waits costs no thread, small calls can run on the
// thread that read them, and the buffers of large bodies belong to the handler. cpp-httplib serves
// each connection with a thread: 200 slow clients need 200 threads, and with fewer threads, they
// stop the server. docs/internals/performance.md has the measured comparison. Drogon is not part of
// Debian 12, and brings event loops and JSON of its own.
//
// The rules:
//   1. The handler is called once per request, on a thread of the connection, when the whole body
//      has arrived. It must be short. The response may come from any thread. If `streams` returns
//      true for the headers of a request, the handler is called at once, and reads the body itself.
//   2. A connection serves one request after another. It is kept open as HTTP/1.1 states.
//   3. At most `max_connections` are open; further ones are closed at once. If the process has no
//      free file descriptor, the server tries again a little later.
//   4. A request has at most `header_bytes` of headers and `body_bytes` of body, before and after
//      it is expanded. Memory for the body is allocated as it arrives. The bodies of all requests
//      together have at most `total_body_bytes`; a request beyond that gets 503.
//   5. A connection is closed if it sends no request for `idle_seconds`, needs more than
//      `header_seconds` for its headers or its handshake, or sends a body or reads a response with
//      less than 1 KiB per second for `stall_seconds`. While a handler reads or writes a stream,
//      the connection is closed if no byte moves for `idle_seconds`.
//   6. When a client closes its connection, OnCancel of its exchange is called. A client that only
//      stops sending gets its response.
//   7. A response counts for the limits of `unread` until it is sent. If it exceeds a limit, the
//      client gets 429 instead.
//   8. A request has one header Host, as RFC 9112 requires (3.2); without it, HTTP/1.0 is accepted.
//
// One thread starts and stops it. Exchanges are thread-safe.

#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "server/http/cors.h"
#include "server/http/http_message.h"
#include "server/security/tls.h"
#include "signet/status.h"

namespace signet {

class UnreadResponses;

// One request and its response: either Respond, or BeginStream, any number of WriteStream, and
// EndStream. If it is destroyed without a response, the response is an error.
class HttpExchange {
 public:
  // Receives the next part of a body; an empty one is its end.
  using OnPiece = std::function<void(StatusOr<Buffer>)>;

  virtual ~HttpExchange() = default;

  const HttpRequest& request() const { return request_; }
  // Sends the response, or drops it if the client is gone.
  virtual void Respond(HttpResponse response) = 0;
  // Sets what is called, at most once and on any thread, if the client goes away before the
  // response. Calls it at once if the client is gone.
  virtual void OnCancel(std::function<void()> callback) = 0;

  // Returns RESOURCE_EXHAUSTED if clients have so many unread responses that no call may begin.
  virtual Status CheckRoom() const { return absl::OkStatus(); }
  // Compresses the response, if the client accepts that, and counts it as unread until it is sent.
  // Returns RESOURCE_EXHAUSTED if the client gets an error instead. Respond prepares a response
  // that is not prepared.
  virtual Status Prepare(HttpResponse& response) {
    (void)response;
    return absl::OkStatus();
  }

  // For a request whose body the handler reads. One read, and one write, at a time. `written` is
  // called when the bytes are sent; if the client is gone, it is not called, but OnCancel is.
  virtual void Read(OnPiece on_piece) { on_piece(Buffer()); }
  virtual void BeginStream(HttpResponse head) { (void)head; }
  virtual void WriteStream(std::vector<Buffer> pieces, std::function<void()> written) {
    (void)pieces;
    (void)written;
  }
  virtual void EndStream() {}

 protected:
  HttpRequest request_;
};

class HttpServer {
 public:
  using Handler = std::function<void(std::shared_ptr<HttpExchange>)>;
  struct Options {
    int threads = 2;
    int max_connections = 4096;
    int idle_seconds = 60;
    int header_seconds = 10;
    int stall_seconds = 20;
    size_t header_bytes = size_t{16} << 10;
    size_t body_bytes = size_t{64} << 20;
    size_t total_body_bytes = size_t{1} << 30;
    std::function<bool(const HttpRequest& head)> streams = {};
    // Returns the offset of the bytes in the body that are aligned in memory, or 0.
    std::function<size_t(const HttpRequest& head)> aligned_offset = {};
    UnreadResponses* unread = nullptr;  // outlives the server; null: no limit
    CorsOrigins cors_origins = {};      // whose pages may read responses
    // Rejects requests by their headers, with 403. Empty: none.
    std::function<Status(const HttpRequest& head)> check = {};
    // Returns the response to a request that the handler does not receive, such as one with a body
    // that is too large. Empty: the text. The path is empty if the headers were not read.
    std::function<HttpResponse(const HttpRequest& head, int code, std::string_view text)> failure =
        {};
  };

  HttpServer(const Options& options, Handler handler);
  ~HttpServer();  // stops
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Listens on `HOST:PORT` and returns the port; for port 0, the system selects one. With `tls`,
  // each new connection uses the newest certificates. Returns UNAVAILABLE if the address cannot be
  // bound.
  StatusOr<int> Start(const std::string& address, std::shared_ptr<TlsCertificates> tls);
  // Accepts no more connections, and closes each one after the response of its request.
  void Drain();
  // Ends the connections and the threads.
  void Stop();

  int64_t num_connections() const;

 private:
  struct State;
  const std::shared_ptr<State> state_;
};

}  // namespace signet
