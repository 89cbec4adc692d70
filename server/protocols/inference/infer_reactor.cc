#include "server/protocols/inference/infer_reactor.h"

#include <algorithm>
#include <utility>

#include "core/formats/inference/infer_wire.h"
#include "server/protocols/inference/infer_call.h"
#include "server/protocols/signet/errors.h"
#include "server/protocols/signet/read_call.h"
#include "server/protocols/signet/response.h"
#include "server/transport/byte_buffers.h"
#include "server/transport/deadline.h"

namespace signet {
namespace {

constexpr char kRpc[] = "ModelInfer";

}  // namespace

StatusOr<CallRequest> ReadInferCall(const ServerContext& server, const Access& access,
                                    const wire::Message& message, InferRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(request, ParseInferRequest(message, server.limits));
  SIGNET_ASSIGN_OR_RETURN(CallRequest call, CallOfRequest(request));
  SIGNET_RETURN_IF_ERROR(access.Check(Rpc::kCall, call.model));
  return call;
}

void ApplyRequestSettings(const CallRequest& call, RunControl& control, CallContext& context) {
  if (call.timeout) {
    const auto end = context.arrival + *call.timeout;
    control.deadline = control.deadline ? std::min(*control.deadline, end) : end;
  }
  if (!call.priority.empty()) context.requested = *ParsePriority(call.priority);
}

InferReactor::InferReactor(ServerContext& server, grpc::CallbackServerContext& context,
                           grpc::ByteBuffer& response)
    : server_(server), context_(context), response_(response) {
  server_.stats.in_flight.fetch_add(1);
}

void InferReactor::Start(const grpc::ByteBuffer& request) {
  // The call was counted before this check, so that no call begins after Drain has seen none.
  if (server_.draining.load()) {
    server_.stats.in_flight.fetch_sub(1);
    is_counted_ = false;
    return FinishWith(Unavailable("the server is stopping; send the call to another server"));
  }
  server_.listener.NoteCall(context_);
  server_.observer.Begin(observed_, context_, kRpc);
  observed_.is_captured = false;  // requests of other protocols cannot be replayed
  observed_.request_bytes = request.Length();
  if (Status admitted = Admit(request.Length()); !admitted.ok()) return FinishWith(admitted);
  if (request.Length() <= kSmallRequestBytes) return Begin(request, ThreadKind::kNetwork);
  Queue(request);
}

Status InferReactor::Admit(size_t bytes) {
  SIGNET_ASSIGN_OR_RETURN(access_, server_.access.Authenticate(context_));
  SIGNET_RETURN_IF_ERROR(access_.Check(Rpc::kCall));
  SIGNET_ASSIGN_OR_RETURN(slot_, access_.Begin(bytes));
  SIGNET_RETURN_IF_ERROR(server_.unread.CheckRoom(context_));
  SIGNET_ASSIGN_OR_RETURN(call_, CallContextOf(context_, bytes));
  return absl::OkStatus();
}

void InferReactor::Queue(const grpc::ByteBuffer& request) {
  const InferHead head = ParseInferHead(MessageOf(request), server_.limits);
  CallContext waiting = call_;
  AddHead(server_, {.model = head.model.substr(0, head.model.find('/'))}, waiting);
  Task task = TaskOf(waiting, {.deadline = DeadlineOf(context_), .cancelled = &cancelled_});
  // gRPC keeps the request until OnDone.
  observed_.times.Wait();
  task.run = [this, &request] { Begin(request, ThreadKind::kCompute); };
  task.reject = [this](const Status& status) { FinishWith(status); };
  Status accepted = Enqueue(server_, task);
  if (!accepted.ok()) FinishWith(accepted);
}

void InferReactor::Begin(const grpc::ByteBuffer& request, ThreadKind thread) {
  observed_.times.Resume();
  auto call =
      Guarded([&] { return ReadInferCall(server_, access_, MessageOf(request), request_); });
  observed_.times.End(Stage::kDecode);
  if (!call.ok()) return FinishWith(call.status());
  note_ = NoteOf(*call);
  RunControl control{DeadlineOf(context_), &cancelled_, &server_.pool};
  ApplyRequestSettings(*call, control, call_);
  ExecuteCall(server_, *std::move(call), control, thread, call_, observed_,
              [this](const StatusOr<CallOutput>& output) { Answer(output); });
}

void InferReactor::Answer(const StatusOr<CallOutput>& output) {
  if (!output.ok()) return FinishWith(output.status());
  auto write = [&]() -> StatusOr<grpc::ByteBuffer> {
    SIGNET_ASSIGN_OR_RETURN(InferResponse response,
                            ResponseOfCall(request_, *output, server_.limits));
    SIGNET_ASSIGN_OR_RETURN(wire::Pieces pieces, WriteInferResponse(response));
    return AdmitResponse(server_, context_, std::move(pieces));
  };
  auto message = Guarded(write);
  if (!message.ok()) return FinishWith(message.status());
  response_ = *std::move(message);
  observed_.response_bytes = response_.Length();
  FinishWith(absl::OkStatus());
}

void InferReactor::FinishWith(const Status& status) {
  server_.stats.CountCall(status.code());
  observed_.is_unwanted = cancelled_.load(std::memory_order_relaxed);
  server_.observer.End(observed_, status);
  CallObserver::AddMetadata(observed_, context_);
  LogCall(kRpc, context_, status, note_);
  AddPushback(status, context_);
  Finish(GrpcStatusOf(InferErrorOf(status, request_.model, request_.version)));
}

void InferReactor::OnDone() {
  if (is_counted_) server_.stats.in_flight.fetch_sub(1, std::memory_order_release);
  delete this;
}

}  // namespace signet
