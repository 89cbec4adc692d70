#include "server/http_routes.h"

#include "server/observability/log.h"

namespace signet {
namespace {

HttpListener::Options HttpOptionsOf(const ObservabilityOptions& options) {
  return {.max_connections = options.http_connections, .idle_seconds = options.http_idle_seconds};
}

}  // namespace

HttpRoutes::HttpRoutes(ServerContext& server, ReadyPolicy ready)
    : server_(server),
      ready_(ready),
      metrics_(server),
      listener_(HttpOptionsOf(server.observer.options())) {
  listener_.AddRoute("GET", "/metrics", [this](const HttpRequest&) {
    return HttpResponse{.content_type = "text/plain; version=0.0.4; charset=utf-8",
                        .body = metrics_.Render()};
  });
  listener_.AddRoute("GET", "/healthz",
                     [](const HttpRequest&) { return HttpResponse{.body = "ok\n"}; });
  listener_.AddRoute("GET", "/readyz", [this](const HttpRequest&) { return Ready(); });
}

Status HttpRoutes::Start() {
  const std::string& address = server_.observer.options().http_listen;
  if (address.empty()) return absl::OkStatus();
  auto port = listener_.Start(address);
  if (!port.ok()) return At("--http_listen", port.status());
  port_ = *port;
  Log(LogLevel::kInfo, "serving http",
      {{"address", Cat(address.substr(0, address.rfind(':')), ":", port_)}});
  return absl::OkStatus();
}

HttpResponse HttpRoutes::Ready() const {
  if (is_stopping_) return {.code = 503, .body = "the server is stopping\n"};
  Status ready = CheckReady(server_.repository.List(), ready_);
  if (ready.ok()) return {.body = "ready\n"};
  return {.code = 503, .body = Cat(MessageOf(ready), "\n")};
}

}  // namespace signet
