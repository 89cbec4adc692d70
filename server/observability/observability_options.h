// ObservabilityOptions: which facts about calls a server publishes, and where. Each is a flag of
// signet-server.

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace signet {

struct ObservabilityOptions {
  std::string http_listen = {};                     // --http_listen; empty: no HTTP
  bool http_tls = true;                             // --http_tls: if calls over gRPC use TLS
  int http_connections = 4096;                      // --http_max_connections
  int http_idle_seconds = 60;                       // --http_idle_seconds
  std::vector<std::string> http_cors_origins = {};  // --http_cors_origins; empty: none
  bool console = false;                             // --console
  int metric_functions = 1000;        // --max_metric_functions: functions with own metrics
  std::string access_log = {};        // --access_log: a path, or `-`; empty: none
  double access_log_sample = 1;       // --access_log_sample: part of the calls, 0 to 1
  std::string otlp_endpoint = {};     // --otlp_endpoint; empty: no export of traces
  double trace_sample = 0;            // --trace_sample: part of the calls without traceparent
  std::string capture_requests = {};  // --capture_requests: a path; empty: none
  double capture_sample = 0.01;       // --capture_sample
  int64_t capture_bytes = int64_t{256} << 20;  // --capture_bytes: of one file
};

}  // namespace signet
