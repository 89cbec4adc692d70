#include "server/protocols/http/http_call.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/serving/call/bind.h"
#include "server/call/retry.h"
#include "server/observability/call_log.h"

namespace signet {
namespace {

constexpr double kLongestTimeout = 1e6;  // seconds

}  // namespace

StatusOr<std::optional<std::chrono::steady_clock::time_point>> HttpDeadline(
    const HttpRequest& request) {
  const std::string_view text = request.Header("signet-timeout");
  if (text.empty()) return std::nullopt;
  double seconds = 0;
  auto read = std::from_chars(text.data(), text.data() + text.size(), seconds);
  const bool is_valid = read.ec == std::errc() && read.ptr == text.data() + text.size() &&
                        seconds > 0 && seconds <= kLongestTimeout;
  if (!is_valid) {
    return InvalidArgument("header Signet-Timeout: expected a number of seconds above 0, found `",
                           Printable(text), "`");
  }
  return request.arrival + std::chrono::nanoseconds(static_cast<int64_t>(seconds * 1e9));
}

namespace {

class HttpCall : public std::enable_shared_from_this<HttpCall> {
 public:
  HttpCall(ServerContext& server, std::shared_ptr<HttpExchange> exchange,
           std::shared_ptr<const HttpCallProtocol> protocol)
      : server_(server), exchange_(std::move(exchange)), protocol_(std::move(protocol)) {
    server_.stats.in_flight.fetch_add(1);
  }
  ~HttpCall() { server_.stats.in_flight.fetch_sub(1, std::memory_order_release); }

  void Start() {
    // The call was counted before this check, so that no call begins after Drain has seen none.
    if (server_.draining.load()) {
      return exchange_->Respond(protocol_->Fail(
          request(), Unavailable("the server is stopping; send the call to another server")));
    }
    server_.observer.Begin(observed_,
                           {.traceparent = request().Header("traceparent"),
                            .stage_times = request().Header("signet-stage-times"),
                            .peer = request().peer,
                            .http_method = request().method,
                            .http_path = request().path,
                            .is_https = request().is_https},
                           protocol_->name());
    observed_.is_captured = false;  // requests of other protocols cannot be replayed
    observed_.request_bytes = request().body.size();
    if (Status admitted = Admit(); !admitted.ok()) return Finish(admitted);
    exchange_->OnCancel([weak = weak_from_this()] {
      auto self = weak.lock();
      if (self == nullptr) return;
      self->cancelled_.store(true, std::memory_order_relaxed);
      self->server_.scheduler.Cancel(&self->cancelled_);
    });
    if (request().body.size() <= kSmallRequestBytes) return Begin(ThreadKind::kNetwork);
    Task task = TaskOf(call_, {.deadline = deadline_, .cancelled = &cancelled_});
    observed_.times.Wait();
    task.run = [self = shared_from_this()] { self->Begin(ThreadKind::kCompute); };
    task.reject = [self = shared_from_this()](const Status& status) { self->Finish(status); };
    Status accepted = Enqueue(server_, task);
    if (!accepted.ok()) Finish(accepted);
  }

 private:
  const HttpRequest& request() const { return exchange_->request(); }

  Status Admit() {
    SIGNET_ASSIGN_OR_RETURN(access_, AuthenticateHttp(server_, request()));
    SIGNET_RETURN_IF_ERROR(access_.Check(Rpc::kCall));
    SIGNET_RETURN_IF_ERROR(exchange_->CheckRoom());
    SIGNET_ASSIGN_OR_RETURN(slot_, access_.Begin(request().body.size()));
    SIGNET_ASSIGN_OR_RETURN(deadline_, HttpDeadline(request()));
    call_.bytes = request().body.size();
    call_.arrival = std::chrono::steady_clock::now();
    if (std::string_view text = request().Header("signet-priority"); !text.empty()) {
      auto priority = ParsePriority(text);
      SIGNET_RETURN_IF_ERROR(At("header Signet-Priority", priority.status()));
      call_.requested = *priority;
    }
    return absl::OkStatus();
  }

  void Begin(ThreadKind thread) {
    observed_.times.Resume();
    auto call = Guarded([&] { return protocol_->Read(request(), access_); });
    observed_.times.End(Stage::kDecode);
    if (!call.ok()) return Finish(call.status());
    if (Status permitted = access_.Check(Rpc::kCall, call->model); !permitted.ok()) {
      return Finish(permitted);
    }
    note_ = NoteOf(*call);
    if (call->timeout) {
      const auto end = call_.arrival + *call->timeout;
      deadline_ = deadline_ ? std::min(*deadline_, end) : end;
    }
    if (!call->priority.empty()) call_.requested = *ParsePriority(call->priority);
    if (deadline_) {
      expiry_ = server_.timers.CallAt(*deadline_, [weak = weak_from_this()] {
        if (auto self = weak.lock()) self->Expire();
      });
    }
    RunControl control{deadline_, &cancelled_, &server_.pool};
    control.profile = protocol_->profile();
    auto answer = [self = shared_from_this()](StatusOr<CallOutput> output) {
      self->Answer(std::move(output));
    };
    if (auto called = protocol_->FunctionOfCall()) {
      return ExecuteFound(server_, *std::move(called), *std::move(call), control, thread, call_,
                          observed_, std::move(answer));
    }
    ExecuteCall(server_, *std::move(call), control, thread, call_, observed_, std::move(answer));
  }

  // Responds at the deadline, even if the call waits for a thread or a function then. The call ends
  // later, when it finds that its deadline has passed.
  void Expire() {
    exchange_->Respond(protocol_->Fail(
        request(), DeadlineExceeded("the deadline of the call passed before it had a result")));
  }

  void Answer(StatusOr<CallOutput> output) {
    if (!output.ok()) return Finish(output.status());
    const int64_t version = output->model_version;
    auto response = Guarded([&] { return protocol_->Write(request(), *std::move(output)); });
    if (!response.ok()) return Finish(response.status());
    response->headers.emplace_back("Signet-Model-Version", Cat(version));
    response_ = *std::move(response);
    observed_.response_bytes = BodySizeOf(response_.body);
    Finish(Guarded([&] { return exchange_->Prepare(response_); }));
  }

  void Finish(const Status& status) {
    server_.stats.CountCall(status.code());
    observed_.is_unwanted = cancelled_.load(std::memory_order_relaxed);
    if (!status.ok()) response_ = protocol_->Fail(request(), status);
    observed_.http_code = response_.code;
    server_.observer.End(observed_, status);
    LogCall(protocol_->name(), HttpPeer{request()}, status, note_);
    for (auto& [name, value] : CallObserver::MetadataOf(observed_)) {
      response_.headers.emplace_back(name, std::move(value));
    }
    if (MayHaveRoomLater(status)) {
      const auto time = RetryAfterOf(status).value_or(std::chrono::milliseconds(100));
      const double seconds = std::chrono::duration<double>(time).count();
      response_.headers.emplace_back("Retry-After", Cat(static_cast<int64_t>(std::ceil(seconds))));
    }
    exchange_->Respond(std::move(response_));
  }

  ServerContext& server_;
  const std::shared_ptr<HttpExchange> exchange_;
  const std::shared_ptr<const HttpCallProtocol> protocol_;
  std::atomic<bool> cancelled_ = false;
  std::optional<std::chrono::steady_clock::time_point> deadline_;
  CallContext call_;
  CallNote note_;
  ObservedCall observed_;
  Access access_;
  CallSlot slot_;
  HttpResponse response_;
  std::shared_ptr<void> expiry_;  // calls Expire at the deadline
};

}  // namespace

StatusOr<Access> AuthenticateHttp(const ServerContext& server, const HttpRequest& request) {
  return server.access.AuthenticateRequest(request.Header("authorization"),
                                           request.certificate_names);
}

void StartHttpCall(ServerContext& server, std::shared_ptr<HttpExchange> exchange,
                   std::shared_ptr<const HttpCallProtocol> protocol) {
  std::make_shared<HttpCall>(server, std::move(exchange), std::move(protocol))->Start();
}

}  // namespace signet
