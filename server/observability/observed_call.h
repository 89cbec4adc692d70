// ObservedCall: the facts about one call that metrics, the access log, traces, and the capture of
// requests need. CallObserver fills it. Not thread-safe, but a call may move between threads.

#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <grpcpp/support/byte_buffer.h>

#include "core/serving/call/bind.h"
#include "core/serving/call/stage_times.h"
#include "server/observability/metrics.h"
#include "server/observability/trace_context.h"

namespace signet {

struct ObservedCall {
  StageTimes times;               // from the arrival of the call
  const char* rpc = "";           // `Call`, `CallStream`; `HTTP infer` over HTTP
  std::string_view service = {};  // `signet.v1.TensorService`; empty over HTTP
  size_t request_bytes = 0;
  size_t response_bytes = 0;
  bool is_unwanted = false;  // the client has cancelled the call, or its deadline is over

  // Set when the function is found.
  CallSeries* series = nullptr;
  int64_t version = 0;
  CalledFunction called = {};  // only if the call is logged or traced

  bool wants_times = false;  // the client has requested its stage times
  bool is_logged = false;    // in the access log
  bool is_traced = false;    // its spans are exported
  bool is_captured = false;  // its request is written to a file

  // Set only if one of these is true.
  std::chrono::system_clock::time_point arrival;
  std::optional<TraceContext> parent;  // from the client
  TraceContext trace;                  // of the span of this call, if it has a trace
  bool has_trace = false;
  std::string peer;         // only if the call is logged or traced
  std::string http_method;  // only if the call is traced, over HTTP
  std::string http_path;    // the same
  bool is_https = false;
  int http_code = 0;          // of the response; 0 over gRPC
  grpc::ByteBuffer request;   // only if the call is captured
  grpc::ByteBuffer response;  // only if the call is captured
};

// Returns `decode=0.000012;run=0.000100;total=0.000130`: the stages that the call entered, and
// their sum, in seconds.
std::string StageTimesText(const StageTimes& times);

}  // namespace signet
