// ObservabilityOptions: which facts about calls a server publishes, and where. Each is a flag of
// signet-server.

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "server/observability/log_options.h"

namespace signet {

// An OpenTelemetry collector.
struct OtlpOptions {
  std::string endpoint = {};                // --otlp_endpoint; empty: no export of traces
  bool tls = false;                         // --otlp_tls
  std::filesystem::path ca = {};            // --otlp_ca; empty: the certificates of the system
  std::filesystem::path certificate = {};   // --otlp_certificate: of this server, as a client
  std::filesystem::path key = {};           // --otlp_key
  std::filesystem::path headers_file = {};  // --otlp_headers_file
};

struct ObservabilityOptions {
  LogOptions log = {};
  std::string http_listen = {};                     // --http_listen; empty: no HTTP
  bool http_tls = true;                             // --http_tls: if calls over gRPC use TLS
  int http_connections = 4096;                      // --http_max_connections
  int http_idle_seconds = 60;                       // --http_idle_seconds
  std::vector<std::string> http_cors_origins = {};  // --http_cors_origins; empty: none
  std::vector<std::string> http_hosts = {};         // --http_hosts: in addition to own names
  bool console = false;                             // --console
  int metric_functions = 1000;   // --max_metric_functions: functions with own metrics
  std::string access_log = {};   // --access_log: -, syslog, journal, or a path; empty: none
  double access_log_sample = 1;  // --access_log_sample: part of the calls, 0 to 1
  OtlpOptions otlp = {};
  double trace_sample = 0;            // --trace_sample: part of the calls without traceparent
  std::string capture_requests = {};  // --capture_requests: a path; empty: none
  double capture_sample = 0.01;       // --capture_sample
  int64_t capture_bytes = int64_t{256} << 20;  // --capture_bytes: of one file
};

}  // namespace signet
