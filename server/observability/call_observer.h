// CallObserver: collects the facts about each call, and passes them to the metrics, the access log,
// the export of traces, and the capture of requests.
//
//   observer.Begin(call, context, "Call");      // the call has arrived
//   observer.SetFunction(call, called);         // its function is found
//   ...
//   observer.End(call, status);                 // its response is written, or it has failed
//
// Metadata of a request:
//   traceparent           the trace of the client; the response has a traceparent, too
//   signet-stage-times    with `1`, the trailing metadata of a Call, and each response of a
//                         CallStream, have the times of the stages
//
// Thread-safe.

#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <grpcpp/server_context.h>

#include "server/observability/access_log.h"
#include "server/observability/metrics.h"
#include "server/observability/observability_options.h"
#include "server/observability/observed_call.h"
#include "server/observability/request_capture.h"
#include "server/observability/trace_exporter.h"

namespace signet {

class CallObserver {
 public:
  explicit CallObserver(ObservabilityOptions options);
  ~CallObserver();

  // Opens the files and starts the threads of the options. Call it before the first call. Returns
  // FAILED_PRECONDITION if a file cannot be opened.
  Status Start();
  // Writes and sends what waits. Later calls are counted only.
  void Stop();

  // The metadata of a call that are read here.
  struct Metadata {
    std::string_view traceparent;
    std::string_view stage_times;
    std::string_view peer;  // read if it is recorded
    std::string_view http_method = {};
    std::string_view http_path = {};
    bool is_https = false;
  };
  // Decides what is recorded about a call that has arrived. `rpc` is a name such as `HTTP infer`,
  // or, over gRPC, the path of the method: `signet.v1.TensorService/Call`.
  void Begin(ObservedCall& call, const Metadata& metadata, const char* rpc) const;
  void Begin(ObservedCall& call, const grpc::CallbackServerContext& context, const char* rpc) const;
  void SetFunction(ObservedCall& call, const CalledFunction& called);
  // Records a call that has ended. Its last stage ends now; it is kEncode, or a wait.
  void End(ObservedCall& call, const Status& status);
  // Returns the metadata that the client has requested. Call it after End, for an RPC with one
  // call.
  static std::vector<std::pair<const char*, std::string>> MetadataOf(const ObservedCall& call);
  static void AddMetadata(const ObservedCall& call, grpc::CallbackServerContext& context);

  Metrics& metrics() { return metrics_; }
  const Metrics& metrics() const { return metrics_; }
  const ObservabilityOptions& options() const { return options_; }
  // Each is null unless its option is set.
  const AccessLog* access_log() const { return access_log_.get(); }
  const TraceExporter* traces() const { return traces_.get(); }
  const RequestCapture* capture() const { return capture_.get(); }

 private:
  const ObservabilityOptions options_;
  Metrics metrics_;
  std::unique_ptr<AccessLog> access_log_;
  std::unique_ptr<TraceExporter> traces_;
  std::unique_ptr<RequestCapture> capture_;
};

}  // namespace signet
