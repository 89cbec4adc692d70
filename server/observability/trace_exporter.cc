#include "server/observability/trace_exporter.h"

#include <algorithm>
#include <utility>

namespace signet {
namespace {

namespace otlp = opentelemetry::proto;

using std::chrono::milliseconds;

constexpr size_t kSpanQueueBytes = size_t{8} << 20;
constexpr size_t kSpanBytes = 1024;  // counted for the spans of a call
constexpr size_t kMaxBatch = 512;    // calls
constexpr milliseconds kDelay(500);
constexpr milliseconds kTimeout(5000);
constexpr milliseconds kLastTimeout(2000);
constexpr int kMostPauseSeconds = 30;

template <class Message>
void AddText(Message& message, std::string key, std::string value) {
  auto* attribute = message.add_attributes();
  attribute->set_key(std::move(key));
  attribute->mutable_value()->set_string_value(std::move(value));
}

void AddNumber(otlp::trace::v1::Span& span, std::string key, int64_t value) {
  auto* attribute = span.add_attributes();
  attribute->set_key(std::move(key));
  attribute->mutable_value()->set_int_value(value);
}

template <size_t kSize>
std::string BytesOf(const std::array<uint8_t, kSize>& id) {
  return {reinterpret_cast<const char*>(id.data()), id.size()};
}

}  // namespace

TraceExporter::TraceExporter(std::unique_ptr<OtlpConnection> connection)
    : connection_(std::move(connection)),
      queue_(kSpanQueueBytes, kMaxBatch, kDelay,
             [this](const std::vector<CallSpan>& batch) { return Send(batch); }) {}

TraceExporter::~TraceExporter() { queue_.Stop(); }

void TraceExporter::Export(const ObservedCall& call, const Status& status) {
  CallSpan span;
  span.service = call.service;
  span.rpc = call.rpc;
  span.http_method = call.http_method;
  span.http_path = call.http_path;
  span.is_https = call.is_https;
  span.http_code = call.http_code;
  span.version = call.version;
  span.code = status.code();
  span.reason = ReasonOf(status);
  span.peer = call.peer;
  span.arrival = call.arrival;
  span.times = call.times;
  span.trace = call.trace;
  span.parent = call.parent;
  if (call.called.function != nullptr) {
    span.model = call.called.model->name();
    span.function = call.called.function->def().name;
  }
  queue_.Push(std::move(span), kSpanBytes);
}

void TraceExporter::AddSpans(const CallSpan& call, otlp::trace::v1::ScopeSpans& out) {
  auto unix_nano = [&](StageTimes::Clock::time_point time) {
    const auto since_arrival = time - call.times.begin();
    return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                     call.arrival.time_since_epoch() + since_arrival)
                                     .count());
  };
  auto& span = *out.add_spans();
  span.set_trace_id(BytesOf(call.trace.trace_id));
  span.set_span_id(BytesOf(call.trace.span_id));
  if (call.parent) span.set_parent_span_id(BytesOf(call.parent->span_id));
  const bool is_http = call.service.empty();
  // Without a model, the path may be any text, so it is not part of the name.
  const std::string path = call.model.empty() ? "" : " " + call.http_path;
  span.set_name(is_http ? call.http_method + path : call.service + "/" + call.rpc);
  span.set_kind(otlp::trace::v1::Span::SPAN_KIND_SERVER);
  span.set_flags(call.trace.flags);
  span.set_start_time_unix_nano(unix_nano(call.times.begin()));
  span.set_end_time_unix_nano(unix_nano(call.times.last()));
  if (is_http) {
    AddText(span, "http.request.method", call.http_method);
    AddText(span, "url.path", call.http_path);
    AddText(span, "url.scheme", call.is_https ? "https" : "http");
    AddNumber(span, "http.response.status_code", call.http_code);
  } else {
    AddText(span, "rpc.system", "grpc");
    AddText(span, "rpc.service", call.service);
    AddText(span, "rpc.method", call.rpc);
    AddNumber(span, "rpc.grpc.status_code", static_cast<int64_t>(call.code));
  }
  AddText(span, "network.peer.address", call.peer);
  if (!call.model.empty()) {
    AddText(span, "signet.model", call.model);
    AddNumber(span, "signet.version", call.version);
    AddText(span, "signet.function", call.function);
  }
  if (call.code != absl::StatusCode::kOk) {
    span.mutable_status()->set_code(otlp::trace::v1::Status::STATUS_CODE_ERROR);
    span.mutable_status()->set_message(absl::StatusCodeToString(call.code));
    if (!call.reason.empty()) AddText(span, "signet.reason", call.reason);
  }
  for (size_t i = 0; i < kNumStages; ++i) {
    const StageTimes::Interval& stage = call.times[static_cast<Stage>(i)];
    if (stage.total.count() == 0) continue;
    auto& child = *out.add_spans();
    child.set_trace_id(BytesOf(call.trace.trace_id));
    child.set_span_id(BytesOf(NewTrace().span_id));
    child.set_parent_span_id(BytesOf(call.trace.span_id));
    child.set_name(kStageNames[i]);
    child.set_kind(otlp::trace::v1::Span::SPAN_KIND_INTERNAL);
    child.set_flags(call.trace.flags);
    child.set_start_time_unix_nano(unix_nano(stage.begin));
    child.set_end_time_unix_nano(unix_nano(stage.end));
    AddNumber(child, "signet.stage_nanoseconds", stage.total.count());
  }
}

size_t TraceExporter::Send(const std::vector<CallSpan>& batch) {
  if (failures_ > 0 && queue_.is_stopping()) return batch.size();
  otlp::collector::trace::v1::ExportTraceServiceRequest request;
  auto& resource_spans = *request.add_resource_spans();
  AddText(*resource_spans.mutable_resource(), "service.name", "signet");
  auto& scope_spans = *resource_spans.add_scope_spans();
  scope_spans.mutable_scope()->set_name("signet-server");
  for (const CallSpan& call : batch) AddSpans(call, scope_spans);

  grpc::ClientContext context;
  connection_->AddHeaders(context);
  const milliseconds timeout = queue_.is_stopping() ? kLastTimeout : kTimeout;
  context.set_deadline(std::chrono::system_clock::now() + timeout);
  otlp::collector::trace::v1::ExportTraceServiceResponse response;
  if (connection_->traces().Export(&context, request, &response).ok()) {
    failures_ = 0;
    num_exported_.fetch_add(batch.size(), std::memory_order_relaxed);
    return 0;
  }
  const int pause = std::min(kMostPauseSeconds, 1 << std::min(failures_++, 5));
  queue_.Sleep(std::chrono::seconds(pause));
  return batch.size();
}

}  // namespace signet
