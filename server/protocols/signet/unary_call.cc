#include "server/protocols/signet/unary_call.h"

#include <utility>

#include "server/protocols/signet/errors.h"
#include "server/protocols/signet/response.h"
#include "server/transport/deadline.h"

namespace signet {

UnaryCall::UnaryCall(ServerContext& server, grpc::CallbackServerContext& context,
                     const grpc::ByteBuffer& request, grpc::ByteBuffer& response, const char* rpc,
                     bool is_replayable)
    : server_(server),
      context_(context),
      request_(request),
      response_(response),
      rpc_(rpc),
      is_replayable_(is_replayable) {
  server_.stats.in_flight.fetch_add(1);
}

void UnaryCall::Start() {
  if (server_.draining.load()) {
    server_.stats.in_flight.fetch_sub(1);
    is_counted_ = false;
    return FinishWith(Unavailable("the server is stopping; send the call to another server"));
  }
  server_.listener.NoteCall(context_);
  server_.observer.Begin(observed_, context_, rpc_);
  observed_.is_captured &= is_replayable_;
  observed_.request_bytes = request_.Length();
  const Status admitted = Admit();
  if (observed_.is_captured) observed_.request = request_;
  if (!admitted.ok()) return FinishWith(admitted);
  if (IsReadAtOnce()) return Begin(ThreadKind::kNetwork);
  Queue();
}

Status UnaryCall::Admit() {
  SIGNET_ASSIGN_OR_RETURN(access_, server_.access.Authenticate(context_));
  SIGNET_RETURN_IF_ERROR(access_.Check(Rpc::kCall));
  SIGNET_RETURN_IF_ERROR(server_.expander.Expand(request_));
  const size_t bytes = request_.Length();
  SIGNET_ASSIGN_OR_RETURN(slot_, access_.Begin(bytes));
  SIGNET_RETURN_IF_ERROR(server_.unread.CheckRoom(context_));
  SIGNET_ASSIGN_OR_RETURN(call_, CallContextOf(context_, bytes));
  return absl::OkStatus();
}

void UnaryCall::Enqueue(const CallContext& waiting) {
  Task task = TaskOf(waiting, {.deadline = DeadlineOf(context_), .cancelled = &cancelled_});
  observed_.times.Wait();
  task.run = [this] {
    observed_.times.Resume();
    Begin(ThreadKind::kCompute);
  };
  task.reject = [this](const Status& status) { FinishWith(status); };
  Status accepted = signet::Enqueue(server_, task);
  if (!accepted.ok()) FinishWith(accepted);
}

RunControl UnaryCall::MakeControl() { return {DeadlineOf(context_), &cancelled_, &server_.pool}; }

void UnaryCall::Respond(wire::Pieces pieces) {
  auto message = Guarded([&] { return AdmitResponse(server_, context_, std::move(pieces)); });
  if (!message.ok()) return FinishWith(message.status());
  response_ = *std::move(message);
  observed_.response_bytes = response_.Length();
  if (observed_.is_captured) observed_.response = response_;
  FinishWith(absl::OkStatus());
}

void UnaryCall::FinishWith(const Status& status) {
  server_.stats.CountCall(status.code());
  observed_.is_unwanted = cancelled_.load(std::memory_order_relaxed);
  server_.observer.End(observed_, status);
  CallObserver::AddMetadata(observed_, context_);
  const std::string_view rpc(rpc_);
  LogCall(rpc.substr(rpc.find('/') + 1), context_, status, note_);
  AddPushback(status, context_);
  Finish(GrpcStatusOf(ShownError(status)));
}

void UnaryCall::OnDone() {
  if (is_counted_) server_.stats.in_flight.fetch_sub(1, std::memory_order_release);
  delete this;
}

}  // namespace signet
