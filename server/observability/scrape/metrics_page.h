// MetricsPage: renders the metrics of a server in the text format of Prometheus.
//
// A page is rendered again only after 50 times its last rendering time, so that frequent requests
// use at most 2 % of one processor; in between, the last page is returned. Thread-safe.

#pragma once

#include <chrono>
#include <mutex>
#include <string>

#include "server/call/serving.h"
#include "server/observability/scrape/saturation.h"

namespace signet {

class MetricsPage {
 public:
  // `server` must outlive this object.
  explicit MetricsPage(const ServerContext& server) : server_(server) {}

  std::string Render();

 private:
  const ServerContext& server_;
  std::mutex mu_;
  SaturationMeter saturation_;                            // guarded by mu_
  std::string page_;                                      // guarded by mu_
  std::chrono::steady_clock::time_point render_again_{};  // guarded by mu_
};

}  // namespace signet
