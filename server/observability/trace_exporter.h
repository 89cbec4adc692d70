// TraceExporter: sends the spans of calls to an OpenTelemetry collector, by OTLP over gRPC.
//
// A call has one span of kind SERVER, and one child span per stage. Attributes have the names of
// OpenTelemetry's semantic conventions for RPC and for HTTP. Spans wait in a queue of
// bounded size and are sent in batches from a background thread, at most half a second after the
// call. If the queue is full, or the collector does not answer, spans are dropped and counted; a
// failed batch is not repeated, and the next one waits for one to thirty seconds. Thread-safe.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "server/observability/observed_call.h"
#include "server/observability/otlp_connection.h"
#include "server/observability/work_queue.h"

namespace signet {

class TraceExporter {
 public:
  // Connects when the first span is sent.
  explicit TraceExporter(std::unique_ptr<OtlpConnection> connection);
  ~TraceExporter();  // sends the spans that wait, for at most two seconds
  TraceExporter(const TraceExporter&) = delete;
  TraceExporter& operator=(const TraceExporter&) = delete;

  // Exports a call that has ended.
  void Export(const ObservedCall& call, const Status& status);
  // Sends the spans that wait, and drops later ones.
  void Stop() { queue_.Stop(); }
  uint64_t num_exported() const { return num_exported_.load(std::memory_order_relaxed); }  // calls
  uint64_t num_dropped() const { return queue_.num_dropped(); }                            // calls

 private:
  struct CallSpan {
    std::string service;  // empty over HTTP
    std::string rpc;
    std::string http_method;
    std::string http_path;
    bool is_https = false;
    int http_code = 0;
    std::string model;
    std::string function;
    int64_t version = 0;
    absl::StatusCode code = absl::StatusCode::kOk;
    std::string reason;
    std::string peer;
    std::chrono::system_clock::time_point arrival;
    StageTimes times;
    TraceContext trace;
    std::optional<TraceContext> parent;
  };

  static void AddSpans(const CallSpan& call, opentelemetry::proto::trace::v1::ScopeSpans& out);
  // Returns the number of calls that were lost.
  size_t Send(const std::vector<CallSpan>& batch);

  const std::unique_ptr<OtlpConnection> connection_;  // used by the background thread
  std::atomic<uint64_t> num_exported_{0};
  int failures_ = 0;  // in a row; used by the background thread
  WorkQueue<CallSpan> queue_;
};

}  // namespace signet
