#include "server/protocols/json/explain_call.h"

#include <atomic>
#include <utility>

#include "core/describe/explanation_message.h"
#include "server/call/attempts.h"
#include "server/call/await_model.h"
#include "server/observability/call_log.h"
#include "server/protocols/http/problem.h"
#include "server/protocols/json/model_json.h"

namespace signet {
namespace {

std::string_view NameOf(ExplainedArgument::Source source) {
  switch (source) {
    case ExplainedArgument::Source::kPositional:
      return "POSITIONAL";
    case ExplainedArgument::Source::kKeyword:
      return "KEYWORD";
    case ExplainedArgument::Source::kDefault:
      return "DEFAULT";
    case ExplainedArgument::Source::kVariadic:
      return "VARIADIC";
  }
  return "UNKNOWN";
}

OrderedJson ExplanationJson(const CalledFunction& called, const Explanation& explanation) {
  OrderedJson out = {{"outcome", NameOf(explanation.outcome)},
                     {"signature", called.function->signature()},
                     {"model_version", called.model->version()}};
  if (!explanation.error.ok()) out["error"] = ProblemJson(explanation.error);
  OrderedJson arguments = OrderedJson::array();
  for (const ExplainedArgument& argument : explanation.arguments) {
    OrderedJson entry = {{"parameter", argument.parameter}, {"source", NameOf(argument.source)}};
    if (argument.given) entry["given"] = argument.given.ToString();
    if (argument.constraint) entry["constraint"] = argument.constraint.ToString();
    if (argument.bound) entry["bound"] = argument.bound.ToString();
    if (!argument.cast_by.empty()) entry["cast_by"] = argument.cast_by;
    arguments.push_back(std::move(entry));
  }
  out["arguments"] = std::move(arguments);
  if (!explanation.error.ok()) return out;
  out["request_type"] = explanation.request_type.ToString();
  OrderedJson candidates = OrderedJson::array();
  for (const ExplainedCandidate& candidate : explanation.candidates) {
    OrderedJson entry = {{"type", candidate.type.ToString()},
                         {"accepts", candidate.accepts},
                         {"chosen", candidate.chosen}};
    if (!candidate.why.empty()) entry["why"] = candidate.why;
    candidates.push_back(std::move(entry));
  }
  out["candidates"] = std::move(candidates);
  if (explanation.output) out["result"] = explanation.output.ToString();
  out["plan"] = explanation.plan;
  return out;
}

// RunWork runs it on a maker thread, because an explanation usually makes a concrete function.
class HttpExplainWork {
 public:
  using Outcome = StatusOr<HttpResponse>;

  HttpExplainWork(ServerContext& server, Access access, std::shared_ptr<HttpExchange> exchange,
                  JsonTarget target)
      : server_(&server),
        access_(std::move(access)),
        exchange_(std::move(exchange)),
        target_(std::move(target)) {}

  Outcome Attempt(const RunControl& control) {
    Deferral& deferral = *control.deferral;
    if (!deferral.may_make) return deferral.LetMake();
    const size_t bytes = exchange_->request().body.size();
    if (deferral.must_be_short && bytes > kSmallRequestBytes) return deferral.Move();
    if (called_.model == nullptr) SIGNET_RETURN_IF_ERROR(Begin());
    const Explanation explanation = ExplainCall(called_, call_, server_->limits, control);
    deferral.shares_error = false;  // each explanation has more than the error
    if (control.is_stopped()) return Unavailable("the explanation continues on another thread");
    HttpResponse response = JsonResponse(ExplanationJson(called_, explanation));
    response.headers.emplace_back("Signet-Model-Version", Cat(called_.model->version()));
    return response;
  }
  static Outcome Fail(Status status) { return status; }

 private:
  Status Begin() {
    SIGNET_ASSIGN_OR_RETURN(
        CallRequest request,
        JsonCallProtocol(*server_, target_).Read(exchange_->request(), access_));
    SIGNET_ASSIGN_OR_RETURN(called_, FindOrLoad(*server_, request));
    call_ = BindToFunction(called_, std::move(request));
    return absl::OkStatus();
  }

  ServerContext* server_;
  Access access_;
  std::shared_ptr<HttpExchange> exchange_;
  JsonTarget target_;
  CalledFunction called_;  // without a model before Begin
  StatusOr<BoundCall> call_ = BoundCall();
};

// What must live until the explanation ends.
struct RunningExplanation {
  ServerContext& server;
  std::shared_ptr<HttpExchange> exchange;
  CallSlot slot = {};
  std::shared_ptr<void> expiry = {};  // responds at the deadline
  std::atomic<bool> cancelled = false;

  void Finish(StatusOr<HttpResponse> response) {
    LogCall("HTTP explain", HttpPeer{exchange->request()}, response.status());
    server.stats.explained.fetch_add(1, std::memory_order_relaxed);
    server.stats.in_flight.fetch_sub(1, std::memory_order_release);
    exchange->Respond(response.ok() ? *std::move(response) : ProblemOf(response.status()));
  }
};

}  // namespace

void StartExplainCall(ServerContext& server, std::shared_ptr<HttpExchange> exchange,
                      JsonTarget target) {
  auto running = std::make_shared<RunningExplanation>(server, std::move(exchange));
  const HttpRequest& request = running->exchange->request();
  // The call is counted before the check, so that no call begins after Drain has seen none.
  server.stats.in_flight.fetch_add(1);
  if (server.draining.load()) return running->Finish(Unavailable("the server is stopping"));
  auto access = AuthenticateHttp(server, request);
  if (!access.ok()) return running->Finish(access.status());
  if (Status permitted = access->Check(Rpc::kExplain, target.model); !permitted.ok()) {
    return running->Finish(permitted);
  }
  auto slot = access->Begin(request.body.size());
  if (!slot.ok()) return running->Finish(slot.status());
  running->slot = *std::move(slot);
  auto deadline = HttpDeadline(request);
  if (!deadline.ok()) return running->Finish(deadline.status());
  running->exchange->OnCancel([weak = std::weak_ptr(running)] {
    if (auto alive = weak.lock()) alive->cancelled.store(true, std::memory_order_relaxed);
  });
  if (*deadline) {
    running->expiry = server.timers.CallAt(**deadline, [weak = std::weak_ptr(running)] {
      auto alive = weak.lock();
      if (alive == nullptr) return;
      alive->exchange->Respond(
          ProblemOf(DeadlineExceeded("the deadline of the call passed before it had a result")));
    });
  }
  RunControl control{.deadline = *deadline, .cancelled = &running->cancelled};
  RunWork(server, HttpExplainWork(server, *access, running->exchange, std::move(target)), control,
          ThreadKind::kNetwork,
          [running](StatusOr<HttpResponse> response) { running->Finish(std::move(response)); });
}

}  // namespace signet
