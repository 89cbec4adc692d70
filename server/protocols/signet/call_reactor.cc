#include "server/protocols/signet/call_reactor.h"

#include <utility>

#include "server/protocols/signet/errors.h"
#include "server/protocols/signet/read_call.h"
#include "server/protocols/signet/response.h"
#include "server/transport/byte_buffers.h"
#include "server/transport/deadline.h"

namespace signet {

CallReactor::CallReactor(ServerContext& server, grpc::CallbackServerContext& context,
                         grpc::ByteBuffer& response)
    : server_(server), context_(context), response_(response) {
  server_.stats.in_flight.fetch_add(1);
}

void CallReactor::Start(const grpc::ByteBuffer& request) {
  // The call was counted before this check, so that no call begins after Drain has seen none.
  if (server_.draining.load()) {
    server_.stats.in_flight.fetch_sub(1);
    is_counted_ = false;
    return FinishWith(Unavailable("the server is stopping; send the call to another server"));
  }
  server_.listener.NoteCall(context_);
  server_.observer.Begin(observed_, context_, "Call");
  observed_.request_bytes = request.Length();
  if (observed_.is_captured) observed_.request = request;
  if (Status admitted = Authorize(request.Length()); !admitted.ok()) return FinishWith(admitted);
  if (Status room = server_.unread.CheckRoom(context_); !room.ok()) return FinishWith(room);
  const size_t bytes = request.Length();
  auto call = CallContextOf(context_, bytes);
  if (!call.ok()) return FinishWith(call.status());
  call_ = *call;
  if (bytes <= kSmallRequestBytes) return Begin(request, ThreadKind::kNetwork);
  Queue(request);
}

void CallReactor::Queue(const grpc::ByteBuffer& request) {
  const wire::RequestHead head = wire::ParseCallHead(MessageOf(request), server_.limits);
  CallContext waiting = call_;
  AddHead(server_, head, waiting);
  Task task = TaskOf(waiting, {.deadline = DeadlineOf(context_), .cancelled = &cancelled_});
  // gRPC keeps the request until OnDone.
  observed_.times.Wait();
  task.run = [this, &request] { Begin(request, ThreadKind::kCompute); };
  task.reject = [this](const Status& status) { FinishWith(status); };
  Status accepted = Enqueue(server_, task);
  if (!accepted.ok()) FinishWith(accepted);
}

Status CallReactor::Authorize(size_t bytes) {
  SIGNET_ASSIGN_OR_RETURN(access_, server_.access.Authenticate(context_));
  SIGNET_RETURN_IF_ERROR(access_.Check(Rpc::kCall));
  SIGNET_ASSIGN_OR_RETURN(slot_, access_.Begin(bytes));
  return absl::OkStatus();
}

void CallReactor::Begin(const grpc::ByteBuffer& request, ThreadKind thread) {
  observed_.times.Resume();
  auto call = Guarded([&] { return ReadCall(server_, access_, MessageOf(request)); });
  observed_.times.End(Stage::kDecode);
  if (!call.ok()) return FinishWith(call.status());
  if (Status permitted = access_.Check(Rpc::kCall, call->model); !permitted.ok()) {
    return FinishWith(permitted);
  }
  note_ = NoteOf(*call);
  RunControl control{DeadlineOf(context_), &cancelled_, &server_.pool};
  ExecuteCall(server_, *std::move(call), control, thread, call_, observed_,
              [this](const StatusOr<CallOutput>& output) { Answer(output); });
}

void CallReactor::Answer(const StatusOr<CallOutput>& output) {
  if (!output.ok()) return FinishWith(output.status());
  wire::Pieces pieces = wire::WriteCallResponse(output->result, output->model_version);
  auto message = AdmitResponse(server_, context_, std::move(pieces));
  if (!message.ok()) return FinishWith(message.status());
  response_ = *std::move(message);
  observed_.response_bytes = response_.Length();
  if (observed_.is_captured) observed_.response = response_;
  FinishWith(absl::OkStatus());
}

void CallReactor::FinishWith(const Status& status) {
  server_.stats.CountCall(status.code());
  observed_.is_unwanted = cancelled_.load(std::memory_order_relaxed);
  server_.observer.End(observed_, status);
  CallObserver::AddMetadata(observed_, context_);
  LogCall("Call", context_, status, note_);
  AddPushback(status, context_);
  Finish(GrpcStatusOf(status));
}

void CallReactor::OnDone() {
  if (is_counted_) server_.stats.in_flight.fetch_sub(1, std::memory_order_release);
  delete this;
}

}  // namespace signet
