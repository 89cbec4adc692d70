#include "server/protocols/signet/call_reactor.h"

#include <utility>

#include "server/protocols/signet/errors.h"
#include "server/protocols/signet/read_call.h"
#include "server/protocols/signet/response.h"
#include "server/transport/byte_buffers.h"
#include "server/transport/deadline.h"

namespace signet {
namespace {

// When the queue or the room for responses was full: how long a client should wait before it tries
// again.
constexpr char kPushback[] = "grpc-retry-pushback-ms";
constexpr char kPushbackMilliseconds[] = "100";

}  // namespace

CallReactor::CallReactor(Serving& serving, grpc::CallbackServerContext& context,
                         grpc::ByteBuffer& response)
    : serving_(serving), context_(context), response_(response) {
  serving_.stats.in_flight.fetch_add(1);
}

void CallReactor::Start(const grpc::ByteBuffer& request) {
  // Counted before the look at `draining`: once a drain has seen no calls, none begins.
  if (serving_.draining.load()) {
    serving_.stats.in_flight.fetch_sub(1);
    is_counted_ = false;
    return FinishWith(Unavailable("the server is stopping; another one may take the call"));
  }
  serving_.listener.NoteCall(context_);
  if (Status room = serving_.unread.CheckRoom(context_); !room.ok()) return FinishWith(room);
  if (request.Length() <= kSmallRequestBytes) return Begin(request, ThreadKind::kNetwork);
  // gRPC keeps the request until OnDone.
  Status queued = Enqueue(serving_, [this, &request] { Begin(request, ThreadKind::kCompute); });
  if (!queued.ok()) FinishWith(queued);
}

void CallReactor::Begin(const grpc::ByteBuffer& request, ThreadKind thread) {
  auto call = Guarded([&] { return ReadCall(serving_, MessageOf(request)); });
  if (!call.ok()) return FinishWith(call.status());
  note_ = NoteOf(*call);
  RunControl control{DeadlineOf(context_), &cancelled_, &serving_.pool};
  ExecuteCall(serving_, *std::move(call), control, thread,
              [this](const StatusOr<CallOutput>& output) { Answer(output); });
}

void CallReactor::Answer(const StatusOr<CallOutput>& output) {
  if (!output.ok()) return FinishWith(output.status());
  wire::Pieces pieces = wire::WriteCallResponse(output->result, output->model_version);
  auto message = AdmitResponse(serving_, context_, std::move(pieces));
  if (!message.ok()) return FinishWith(message.status());
  response_ = *std::move(message);
  FinishWith(absl::OkStatus());
}

void CallReactor::FinishWith(const Status& status) {
  serving_.stats.CountCall(status.code());
  LogCall("Call", context_, status, note_);
  std::string reason = ReasonOf(status);
  if (reason == "QUEUE_FULL" || reason == "RESPONSES_UNREAD")
    context_.AddTrailingMetadata(kPushback, kPushbackMilliseconds);
  Finish(GrpcStatusOf(status));
}

void CallReactor::OnDone() {
  if (is_counted_) serving_.stats.in_flight.fetch_sub(1, std::memory_order_release);
  delete this;
}

}  // namespace signet
