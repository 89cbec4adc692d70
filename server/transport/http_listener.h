// HttpListener: serves HTTP/1.1 requests from a small table of routes.
//
//   HttpListener http({.max_connections = 64});
//   http.AddRoute("GET", "/healthz", [](const HttpRequest&) { return HttpResponse{.body = "ok\n"};
//   }); SIGNET_ASSIGN_OR_RETURN(int port, http.Start("127.0.0.1:8501"));
//
// A handler runs on the thread of the listener, so it must be short. The rules:
//   1. A path without a route is NOT FOUND, and the response lists the paths. A method that the
//   path
//      does not have is METHOD NOT ALLOWED. HEAD is answered like GET, without the body.
//   2. At most `max_connections` are open; further connections are closed at once. A connection
//      without progress for `idle_seconds` is closed.
//   3. Headers have at most 16 KiB, and the body of a request has at most `max_body_bytes`; a
//   larger
//      one is CONTENT TOO LARGE.
//   4. An exception in a handler is INTERNAL SERVER ERROR.
//
// There is no authentication and no TLS: listen on a loopback address, or where only trusted
// programs can connect. Add all routes before Start. Not thread-safe otherwise.

#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "signet/status.h"

struct MHD_Daemon;

namespace signet {

struct HttpRequest {
  std::string path;
  std::string body;
};

struct HttpResponse {
  int code = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body = {};
  std::vector<std::pair<std::string, std::string>> headers = {};  // in addition to Content-Type
};

class HttpListener {
 public:
  using Handler = std::function<HttpResponse(const HttpRequest& request)>;
  struct Options {
    int max_connections = 64;
    int idle_seconds = 30;
    size_t max_body_bytes = size_t{64} << 10;
  };

  explicit HttpListener(Options options) : options_(options) {}
  ~HttpListener();  // ends the connections
  HttpListener(const HttpListener&) = delete;
  HttpListener& operator=(const HttpListener&) = delete;

  void AddRoute(std::string method, std::string path, Handler handler);
  // Listens on `HOST:PORT` and returns the port; for port 0, the system selects one. Returns
  // UNAVAILABLE if the address cannot be bound.
  StatusOr<int> Start(const std::string& address);
  // Ends the connections, after the responses of running handlers.
  void Stop();

  // Returns the response to a request.
  HttpResponse Respond(std::string_view method, const HttpRequest& request) const;

 private:
  struct Callbacks;  // the functions that libmicrohttpd calls

  const Options options_;
  std::map<std::string, std::map<std::string, Handler>> routes_;  // by path, then by method
  MHD_Daemon* daemon_ = nullptr;
};

}  // namespace signet
