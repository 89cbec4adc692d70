#include "server/http_routes.h"

#include <utility>

#include "server/console/console.h"
#include "server/observability/log.h"
#include "server/protocols/http/describe_http.h"
#include "server/protocols/http/problem.h"
#include "server/protocols/inference/infer_http.h"

namespace signet {
namespace {

// Clients of the protocols read every error as JSON.
HttpResponse FailureOf(const HttpRequest& head, int code, std::string_view text) {
  if (InferenceApi::Owns(head.path)) return InferenceErrorResponse(code, text);
  if (head.path.starts_with("/v1/")) {
    const auto status = code == 403   ? absl::StatusCode::kPermissionDenied
                        : code == 413 ? absl::StatusCode::kResourceExhausted
                        : code == 503 ? absl::StatusCode::kUnavailable
                                      : absl::StatusCode::kInvalidArgument;
    return ProblemOf(MakeStatus(status, std::string(text)), code, /*has_error=*/true);
  }
  return HttpResponse::Text(code, Cat(text, "\n"));
}

// The second path is that of TensorFlow Serving.
bool IsMetricsPath(std::string_view path) {
  return path == "/metrics" || path == "/monitoring/prometheus/metrics";
}

HttpServer::Options HttpOptionsOf(ServerContext& server, const SiteCheck& sites) {
  const ObservabilityOptions& options = server.observer.options();
  return {.threads = server.pool.num_threads(),
          .max_connections = options.http_connections,
          .idle_seconds = options.http_idle_seconds,
          .header_seconds = server.transport.handshake_seconds,
          .stall_seconds = server.transport.stall_seconds,
          .header_bytes = static_cast<size_t>(server.transport.metadata_bytes),
          .body_bytes = static_cast<size_t>(server.limits.message_bytes),
          .total_body_bytes = static_cast<size_t>(server.transport.received_bytes),
          .streams = JsonApi::ReadsLines,
          .aligned_offset = OffsetOfRawTensors,
          .unread = &server.unread,
          .cors_origins = options.http_cors_origins,
          .check = [&sites](const HttpRequest& head) { return sites.Check(head); },
          .failure = FailureOf};
}

}  // namespace

HttpRoutes::HttpRoutes(ServerContext& server, InferenceOptions inference)
    : server_(server),
      check_ready_(inference.check_ready),
      metrics_(server),
      tensorflow_(server),
      json_(server),
      inference_(server, std::move(inference)),
      sites_({.hosts = server.observer.options().http_hosts,
              .origins = server.observer.options().http_cors_origins}),
      http_(HttpOptionsOf(server, sites_), [this](const auto& exchange) { Serve(exchange); }) {}

Status HttpRoutes::Start(std::shared_ptr<TlsCertificates> tls, int grpc_port) {
  grpc_port_ = grpc_port;
  const std::string& address = server_.observer.options().http_listen;
  if (address.empty()) return absl::OkStatus();
  const std::string_view protocol = tls != nullptr ? "serving https" : "serving http";
  auto port = http_.Start(address, std::move(tls));
  if (!port.ok()) return At("--http_listen", port.status());
  port_ = *port;
  Log(LogLevel::kInfo, protocol,
      {{"address", Cat(address.substr(0, address.rfind(':')), ":", port_)}});
  return absl::OkStatus();
}

void HttpRoutes::Serve(const std::shared_ptr<HttpExchange>& exchange) {
  const HttpRequest& request = exchange->request();
  const ObservabilityOptions& options = server_.observer.options();
  if (auto preflight = PreflightResponse(options.http_cors_origins, request)) {
    return exchange->Respond(*std::move(preflight));
  }
  if (tensorflow_.Serve(exchange) || json_.Serve(exchange) || inference_.Serve(exchange)) return;
  const bool is_get = request.method == "GET" || request.method == "HEAD";
  if (is_get && IsMetricsPath(request.path)) {
    return RespondWithDescription(
        server_, exchange, [this] { return Metrics(); },
        [](const Status& status) { return ProblemOf(status); });
  }
  auto page = Page(request.path);
  if (!page && options.console) page = ConsolePage(request, grpc_port_);
  if (!page && request.path == "/") page = Alive();
  if (!page) {
    if (tensorflow_.Reject(exchange)) return;
    return exchange->Respond(
        ProblemOf(NotFound("path `", Printable(request.path),
                           "` not found; paths: /v1/models, /v2, /metrics, /healthz, /readyz")));
  }
  if (is_get) return exchange->Respond(*std::move(page));
  HttpResponse response = HttpResponse::Text(405, "expected one of the methods GET, HEAD\n");
  response.headers.emplace_back("Allow", "GET, HEAD");
  exchange->Respond(std::move(response));
}

HttpResponse HttpRoutes::Alive() {
  HttpResponse response = HttpResponse::Text(200, "{\"status\":\"alive\"}");
  response.content_type = "application/json";
  return response;
}

HttpResponse HttpRoutes::Metrics() {
  HttpResponse response = HttpResponse::Text(200, metrics_.Render());
  response.may_compress = true;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  return response;
}

std::optional<HttpResponse> HttpRoutes::Page(std::string_view path) {
  if (IsMetricsPath(path)) return HttpResponse();  // rejects other methods
  if (path == "/healthz") return HttpResponse::Text(200, "ok\n");
  if (path == "/readyz") return Ready();
  return std::nullopt;
}

HttpResponse HttpRoutes::Ready() const {
  const Status ready = check_ready_();
  if (ready.ok()) return HttpResponse::Text(200, "ready\n");
  return HttpResponse::Text(503, Cat(MessageOf(ready), "\n"));
}

}  // namespace signet
