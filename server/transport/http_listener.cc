#include "server/transport/http_listener.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <exception>
#include <memory>
#include <microhttpd.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <netinet/in.h>

namespace signet {
namespace {

constexpr int kHttpBacklog = 128;
constexpr size_t kHeaderBytes = size_t{16} << 10;

HttpResponse TextResponse(int code, std::string text) {
  HttpResponse response;
  response.code = code;
  response.body = std::move(text);
  return response;
}

// Returns a socket that listens on the first address of `host` that can be bound, or -1 with errno.
int ListenOn(const addrinfo* addresses) {
  int error = EADDRNOTAVAIL;
  for (const addrinfo* next = addresses; next != nullptr; next = next->ai_next) {
    int fd = socket(next->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd < 0) {
      error = errno;
      continue;
    }
    int on = 1;
    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
    if (bind(fd, next->ai_addr, next->ai_addrlen) == 0 && listen(fd, kHttpBacklog) == 0) return fd;
    error = errno;
    close(fd);
  }
  errno = error;
  return -1;
}

int PortOfSocket(int fd) {
  sockaddr_storage storage = {};
  socklen_t size = sizeof(storage);
  getsockname(fd, reinterpret_cast<sockaddr*>(&storage), &size);
  return ntohs(storage.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6&>(storage).sin6_port
                   : reinterpret_cast<const sockaddr_in&>(storage).sin_port);
}

// Sends `response`. libmicrohttpd omits the body of a response to HEAD.
MHD_Result Send(MHD_Connection* connection, const HttpResponse& response) {
  MHD_Response* out = MHD_create_response_from_buffer(
      response.body.size(), const_cast<char*>(response.body.data()), MHD_RESPMEM_MUST_COPY);
  if (out == nullptr) return MHD_NO;
  MHD_add_response_header(out, MHD_HTTP_HEADER_CONTENT_TYPE, response.content_type.c_str());
  for (const auto& [name, value] : response.headers) {
    MHD_add_response_header(out, name.c_str(), value.c_str());
  }
  MHD_Result sent = MHD_queue_response(connection, static_cast<unsigned>(response.code), out);
  MHD_destroy_response(out);
  return sent;
}

HttpResponse TooLarge(size_t limit) {
  return TextResponse(413, Cat("expected a body of at most ", limit, " bytes\n"));
}

}  // namespace

struct HttpListener::Callbacks {
  // A request whose body is being received.
  struct Pending {
    std::string body;
  };

  static MHD_Result Access(void* listener, MHD_Connection* connection, const char* path,
                           const char* method, const char* /*version*/, const char* data,
                           size_t* size, void** state) {
    const auto& self = *static_cast<const HttpListener*>(listener);
    const size_t limit = self.options_.max_body_bytes;
    auto* pending = static_cast<Pending*>(*state);
    if (pending == nullptr) {
      const char* length =
          MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
      if (length != nullptr) {
        uint64_t bytes = 0;
        const char* end = length + std::strlen(length);
        auto read = std::from_chars(length, end, bytes);
        if (read.ec != std::errc() || read.ptr != end || bytes > limit) {
          return Send(connection, TooLarge(limit));
        }
      }
      *state = new Pending;
      return MHD_YES;
    }
    if (*size > 0) {
      if (pending->body.size() + *size > limit) return MHD_NO;  // closes the connection
      pending->body.append(data, *size);
      *size = 0;
      return MHD_YES;
    }
    try {
      return Send(connection, self.Respond(method, {path, std::move(pending->body)}));
    } catch (const std::exception&) {
      return Send(connection, TextResponse(500, "the request failed\n"));
    }
  }

  static void Completed(void* /*listener*/, MHD_Connection* /*connection*/, void** state,
                        MHD_RequestTerminationCode /*why*/) {
    delete static_cast<Pending*>(*state);
    *state = nullptr;
  }
};

HttpListener::~HttpListener() { Stop(); }

void HttpListener::AddRoute(std::string method, std::string path, Handler handler) {
  routes_[std::move(path)][std::move(method)] = std::move(handler);
}

HttpResponse HttpListener::Respond(std::string_view method, const HttpRequest& request) const {
  auto found = routes_.find(request.path);
  if (found == routes_.end()) {
    std::vector<std::string> paths;
    for (const auto& [path, methods] : routes_) paths.push_back(path);
    return TextResponse(404, Cat("path not found; paths: ", Join(paths, ", "), "\n"));
  }
  const std::string wanted(method == "HEAD" ? std::string_view("GET") : method);
  auto handler = found->second.find(wanted);
  if (handler != found->second.end()) return handler->second(request);
  std::vector<std::string> methods;
  for (const auto& [name, unused] : found->second) methods.push_back(name);
  HttpResponse response =
      TextResponse(405, Cat("expected one of the methods ", Join(methods, ", "), "\n"));
  response.headers = {{"Allow", Join(methods, ", ")}};
  return response;
}

StatusOr<int> HttpListener::Start(const std::string& address) {
  const size_t colon = address.rfind(':');
  if (colon == std::string::npos) {
    return InvalidArgument("`", Printable(address), "`: expected HOST:PORT");
  }
  std::string host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  addrinfo hints = {};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), address.c_str() + colon + 1, &hints, &found);
  if (error != 0) {
    return Unavailable("cannot listen on `", Printable(address), "`: ", gai_strerror(error));
  }
  std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(found, freeaddrinfo);
  const int fd = ListenOn(addresses.get());
  if (fd < 0) {
    return Unavailable("cannot listen on `", Printable(address), "`: ", std::strerror(errno));
  }
  const int port = PortOfSocket(fd);
  daemon_ = MHD_start_daemon(
      MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_ITC, 0, nullptr, nullptr, &Callbacks::Access, this,
      MHD_OPTION_LISTEN_SOCKET, fd, MHD_OPTION_CONNECTION_LIMIT,
      static_cast<unsigned>(options_.max_connections), MHD_OPTION_CONNECTION_TIMEOUT,
      static_cast<unsigned>(options_.idle_seconds), MHD_OPTION_CONNECTION_MEMORY_LIMIT,
      2 * kHeaderBytes, MHD_OPTION_NOTIFY_COMPLETED, &Callbacks::Completed, this, MHD_OPTION_END);
  if (daemon_ != nullptr) return port;
  close(fd);
  return Unavailable("cannot start the HTTP listener on `", Printable(address), "`");
}

void HttpListener::Stop() {
  if (daemon_ != nullptr) MHD_stop_daemon(std::exchange(daemon_, nullptr));
}

}  // namespace signet
