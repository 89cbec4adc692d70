// HttpRoutes: serves the protocols over HTTP, and the pages for operators, on --http_listen.
//
//   /metrics   the metrics of the server, in the text format of Prometheus;
//              /monitoring/prometheus/metrics is the same
//   /healthz   200 while the process serves HTTP, so that it must not be restarted
//   /readyz    200 while the server accepts calls and is ready (--ready), otherwise 503 with the
//              reason
//   /v1/...    TensorFlow Serving's REST API (server/protocols/tensorflow/rest_api.h) and the JSON
//              API (server/protocols/json/json_api.h)
//   /v2/...    the Open Inference Protocol (server/protocols/inference/inference_api.h)
//   /          the console, with --console (server/console/console.h)
//
// The pages for operators and the files of the console need no token.
// One thread starts and stops it.

#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "server/call/serving.h"
#include "server/http/http_server.h"
#include "server/http/site_check.h"
#include "server/observability/scrape/metrics_page.h"
#include "server/protocols/inference/inference_api.h"
#include "server/protocols/json/json_api.h"
#include "server/protocols/tensorflow/rest_api.h"

namespace signet {

class HttpRoutes {
 public:
  // `server` must outlive this object.
  HttpRoutes(ServerContext& server, InferenceOptions inference);

  // Does nothing without --http_listen. `tls` is null for plain connections, and `grpc_port` is the
  // port for gRPC. Returns UNAVAILABLE if the address cannot be bound.
  Status Start(std::shared_ptr<TlsCertificates> tls, int grpc_port);
  // Accepts no more connections.
  void Drain() { http_.Drain(); }
  void Stop() { http_.Stop(); }
  int port() const { return port_; }  // 0 if it does not listen
  int64_t num_connections() const { return http_.num_connections(); }

 private:
  void Serve(const std::shared_ptr<HttpExchange>& exchange);
  // Returns nothing for other paths.
  std::optional<HttpResponse> Page(std::string_view path);
  HttpResponse Metrics();
  HttpResponse Ready() const;
  // Returns the answer at `/`, by which clients of KServe's protocol v1 see that the server is
  // alive. The console has this path, too.
  static HttpResponse Alive();

  ServerContext& server_;
  const std::function<Status()> check_ready_;
  MetricsPage metrics_;
  tf::RestApi tensorflow_;
  JsonApi json_;
  InferenceApi inference_;
  const SiteCheck sites_;
  HttpServer http_;
  int port_ = 0;
  int grpc_port_ = 0;
};

}  // namespace signet
