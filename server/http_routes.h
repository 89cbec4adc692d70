// HttpRoutes: serves /metrics, /healthz, and /readyz on --http_listen.
//
//   /metrics   the metrics of the server, in the text format of Prometheus
//   /healthz   200 while the process serves HTTP, so that it must not be restarted
//   /readyz    200 while the server accepts calls and is ready (--ready), otherwise 503 with the
//              reason
//
// One thread starts and stops it.

#pragma once

#include <atomic>

#include "server/call/serving.h"
#include "server/observability/scrape/metrics_page.h"
#include "server/protocols/grpc/health.h"
#include "server/transport/http_listener.h"

namespace signet {

class HttpRoutes {
 public:
  // `server` must outlive this object.
  HttpRoutes(ServerContext& server, ReadyPolicy ready);

  // Does nothing without --http_listen. Returns UNAVAILABLE if the address cannot be bound.
  Status Start();
  // From now on, /readyz reports that the server is stopping.
  void StopServing() { is_stopping_ = true; }
  void Stop() { listener_.Stop(); }
  int port() const { return port_; }  // 0 if it does not listen

 private:
  HttpResponse Ready() const;

  ServerContext& server_;
  const ReadyPolicy ready_;
  MetricsPage metrics_;
  std::atomic<bool> is_stopping_{false};
  HttpListener listener_;
  int port_ = 0;
};

}  // namespace signet
