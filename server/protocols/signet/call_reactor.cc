#include "server/protocols/signet/call_reactor.h"

#include <string>
#include <utility>

#include "server/protocols/signet/errors.h"
#include "server/protocols/signet/read_call.h"
#include "server/protocols/signet/response.h"
#include "server/transport/byte_buffers.h"
#include "server/transport/deadline.h"

namespace signet {
namespace {

// The trailing metadata that asks a client to wait before it retries, if the queue or the memory
// for responses was full.
constexpr char kPushback[] = "grpc-retry-pushback-ms";
constexpr std::chrono::milliseconds kPushbackTime(100);  // if the error states none

}  // namespace

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
  task.run = [this, &request] { Begin(request, ThreadKind::kCompute); };
  task.reject = [this](const Status& status) { FinishWith(status); };
  Status accepted = Enqueue(server_, task);
  if (!accepted.ok()) FinishWith(accepted);
}

void CallReactor::Begin(const grpc::ByteBuffer& request, ThreadKind thread) {
  auto call = Guarded([&] { return ReadCall(server_, MessageOf(request)); });
  if (!call.ok()) return FinishWith(call.status());
  note_ = NoteOf(*call);
  RunControl control{DeadlineOf(context_), &cancelled_, &server_.pool};
  ExecuteCall(server_, *std::move(call), control, thread, call_,
              [this](const StatusOr<CallOutput>& output) { Answer(output); });
}

void CallReactor::Answer(const StatusOr<CallOutput>& output) {
  if (!output.ok()) return FinishWith(output.status());
  wire::Pieces pieces = wire::WriteCallResponse(output->result, output->model_version);
  auto message = AdmitResponse(server_, context_, std::move(pieces));
  if (!message.ok()) return FinishWith(message.status());
  response_ = *std::move(message);
  FinishWith(absl::OkStatus());
}

void CallReactor::FinishWith(const Status& status) {
  server_.stats.CountCall(status.code());
  LogCall("Call", context_, status, note_);
  std::string reason = ReasonOf(status);
  if (reason == "QUEUE_FULL" || reason == "OVERLOADED" || reason == "RESPONSES_UNREAD") {
    auto time = RetryAfterOf(status).value_or(kPushbackTime);
    context_.AddTrailingMetadata(kPushback, std::to_string(time.count()));
  }
  Finish(GrpcStatusOf(status));
}

void CallReactor::OnDone() {
  if (is_counted_) server_.stats.in_flight.fetch_sub(1, std::memory_order_release);
  delete this;
}

}  // namespace signet
