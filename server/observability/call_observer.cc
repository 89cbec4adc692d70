#include "server/observability/call_observer.h"

#include <cstring>
#include <utility>

namespace signet {
namespace {

constexpr char kTraceparent[] = "traceparent";
constexpr char kStageTimes[] = "signet-stage-times";

std::string_view LookupMetadata(const grpc::CallbackServerContext& context, const char* name) {
  const auto& metadata = context.client_metadata();
  auto found = metadata.find(name);
  if (found == metadata.end()) return {};
  return {found->second.data(), found->second.size()};
}

}  // namespace

CallObserver::CallObserver(ObservabilityOptions options)
    : options_(std::move(options)), metrics_(static_cast<size_t>(options_.metric_functions)) {}

CallObserver::~CallObserver() = default;

Status CallObserver::Start() {
  if (!options_.access_log.empty()) {
    SIGNET_ASSIGN_OR_RETURN(access_log_, AccessLog::Open(options_.access_log, options_.log.files));
  }
  if (!options_.capture_requests.empty()) {
    SIGNET_ASSIGN_OR_RETURN(
        capture_, RequestCapture::Open(options_.capture_requests, options_.capture_bytes));
  }
  if (!options_.otlp.endpoint.empty()) {
    SIGNET_ASSIGN_OR_RETURN(auto connection, OtlpConnection::Open(options_.otlp));
    traces_ = std::make_unique<TraceExporter>(std::move(connection));
  }
  return absl::OkStatus();
}

void CallObserver::Stop() {
  if (traces_ != nullptr) traces_->Stop();
  if (capture_ != nullptr) capture_->Stop();
}

void CallObserver::Begin(ObservedCall& call, const grpc::CallbackServerContext& context,
                         const char* rpc) const {
  Begin(call,
        {.traceparent = LookupMetadata(context, kTraceparent),
         .stage_times = LookupMetadata(context, kStageTimes),
         .peer = ""},
        rpc);
  if (const char* slash = std::strchr(rpc, '/')) {
    call.service = std::string_view(rpc, static_cast<size_t>(slash - rpc));
    call.rpc = slash + 1;
  }
  if (call.is_logged || call.is_traced) call.peer = context.peer();
}

void CallObserver::Begin(ObservedCall& call, const Metadata& metadata, const char* rpc) const {
  call.rpc = rpc;
  call.wants_times = metadata.stage_times == "1";
  call.parent = ParseTraceparent(metadata.traceparent);
  call.is_logged = access_log_ != nullptr && IsSampled(options_.access_log_sample);
  call.is_captured = capture_ != nullptr && IsSampled(options_.capture_sample);
  const bool is_sampled =
      call.parent ? call.parent->is_sampled() : IsSampled(options_.trace_sample);
  call.is_traced = traces_ != nullptr && is_sampled;
  call.has_trace = call.parent || call.is_traced;
  if (call.has_trace) {
    call.trace = NewTrace();
    if (call.parent) call.trace.trace_id = call.parent->trace_id;
    call.trace.flags = call.is_traced || (call.parent && call.parent->is_sampled()) ? 1 : 0;
  }
  if (call.is_logged || call.is_traced) call.peer = metadata.peer;
  if (call.is_traced) {
    call.http_method = metadata.http_method;
    call.http_path = metadata.http_path;
    call.is_https = metadata.is_https;
  }
  if (call.is_logged || call.is_traced || call.is_captured) {
    call.arrival = std::chrono::system_clock::now();
  }
}

void CallObserver::SetFunction(ObservedCall& call, const CalledFunction& called) {
  call.series = &metrics_.SeriesOf(called.model->name(), called.function->def().name);
  call.version = called.model->version();
  if (call.is_logged || call.is_traced) call.called = called;
}

void CallObserver::End(ObservedCall& call, const Status& status) {
  call.times.Resume();
  call.times.End(Stage::kEncode);
  const bool is_unwanted = call.is_unwanted || status.code() == absl::StatusCode::kCancelled ||
                           status.code() == absl::StatusCode::kDeadlineExceeded;
  const bool is_wasted = is_unwanted && call.times[Stage::kRun].total.count() > 0;
  metrics_.Record(call.series != nullptr ? *call.series : metrics_.unknown(),
                  {.code = status.code(),
                   .times = &call.times,
                   .request_bytes = call.request_bytes,
                   .response_bytes = call.response_bytes,
                   .is_wasted = is_wasted,
                   .version = call.version});
  if (!status.ok()) {
    std::string reason = ReasonOf(status);
    if (reason.empty()) reason = absl::StatusCodeToString(status.code());
    metrics_.CountError(status.code(), reason);
  }
  if (call.is_logged) access_log_->Write(call, status);
  if (call.is_traced) traces_->Export(call, status);
  // Requests of callers without permission are not kept.
  const bool is_permitted = status.code() != absl::StatusCode::kUnauthenticated &&
                            status.code() != absl::StatusCode::kPermissionDenied;
  if (call.is_captured && is_permitted && call.request.Valid()) capture_->Write(call, status);
}

void CallObserver::AddMetadata(const ObservedCall& call, grpc::CallbackServerContext& context) {
  for (auto& [name, value] : MetadataOf(call)) context.AddTrailingMetadata(name, std::move(value));
}

std::vector<std::pair<const char*, std::string>> CallObserver::MetadataOf(
    const ObservedCall& call) {
  std::vector<std::pair<const char*, std::string>> out;
  if (call.has_trace) out.emplace_back(kTraceparent, TraceparentOf(call.trace));
  if (call.wants_times) out.emplace_back(kStageTimes, StageTimesText(call.times));
  return out;
}

}  // namespace signet
