#include "server/protocols/inference/infer_stream.h"

#include <utility>

#include "core/base/utf8.h"
#include "core/formats/inference/infer_wire.h"
#include "inference/inference.pb.h"
#include "server/observability/call_log.h"
#include "server/protocols/inference/infer_call.h"
#include "server/protocols/inference/infer_reactor.h"
#include "server/protocols/signet/errors.h"
#include "server/protocols/signet/read_call.h"
#include "server/protocols/signet/response.h"
#include "server/transport/byte_buffers.h"
#include "server/transport/deadline.h"

namespace signet {
namespace {

constexpr char kStreamRpc[] = "inference.GRPCInferenceService/ModelStreamInfer";

}  // namespace

// One request of a stream.
struct InferStream::Call {
  wire::Message message;
  InferRequest request;  // without its inputs
  CallContext context;
  CallNote note;
  ObservedCall observed;
  Access access;
  CallSlot slot;
};

InferStream::InferStream(ServerContext& server, const SharedMemoryRegions* regions,
                         grpc::CallbackServerContext& context, OpenStreams<InferStream>& open)
    : server_(server), regions_(regions), context_(context), open_(open) {
  server_.stats.in_flight.fetch_add(1, std::memory_order_relaxed);
}

void InferStream::Start() {
  auto access = server_.access.Authenticate(context_);
  Status permitted = access.ok() ? access->Check(Rpc::kCall) : access.status();
  open_.Add(this);
  if (!permitted.ok()) return End(permitted, /*is_idle=*/false);
  ReadNext();
}

void InferStream::Drain() {
  {
    std::lock_guard lock(mu_);
    is_draining_ = true;
  }
  End(Unavailable("the server is stopping"), /*is_idle=*/true);
}

void InferStream::ReadNext() {
  {
    std::lock_guard lock(mu_);
    if (has_ended_) return;
    if (!is_draining_) {
      is_reading_ = true;
      StartRead(&request_);
      return;
    }
  }
  End(Unavailable("the server is stopping"), /*is_idle=*/false);
}

void InferStream::OnReadDone(bool ok) {
  {
    std::lock_guard lock(mu_);
    is_reading_ = false;
    if (has_ended_) return;
  }
  if (!ok) return End(absl::OkStatus(), /*is_idle=*/false);
  Receive();
}

void InferStream::Receive() {
  server_.listener.NoteCall(context_);
  auto call = std::make_shared<Call>();
  server_.observer.Begin(call->observed, context_, kStreamRpc);
  const Status expanded = server_.expander.Expand(request_);
  const size_t bytes = request_.Length();
  call->observed.is_captured = false;
  call->observed.request_bytes = bytes;
  call->message = MessageOf(request_);
  request_.Clear();
  auto admit = [&]() -> Status {
    SIGNET_RETURN_IF_ERROR(expanded);
    // The permissions may have changed since the stream began.
    SIGNET_ASSIGN_OR_RETURN(call->access, server_.access.Authenticate(context_));
    SIGNET_RETURN_IF_ERROR(call->access.Check(Rpc::kCall));
    SIGNET_ASSIGN_OR_RETURN(call->slot, call->access.Begin(bytes));
    SIGNET_RETURN_IF_ERROR(server_.unread.CheckRoom(context_));
    SIGNET_ASSIGN_OR_RETURN(call->context, CallContextOf(context_, bytes));
    return absl::OkStatus();
  };
  if (Status admitted = admit(); !admitted.ok()) return Answer(call, admitted);
  if (IsReadAtOnce(bytes, regions_)) return Begin(call, ThreadKind::kNetwork);
  const InferHead head = ParseInferHead(call->message, server_.limits);
  CallContext waiting = call->context;
  const wire::RequestHead named{.model = head.model.substr(0, head.model.find('/'))};
  AddHead(server_, named, waiting);
  Task task = TaskOf(waiting, {.deadline = DeadlineOf(context_), .cancelled = &cancelled_});
  call->observed.times.Wait();
  task.run = [this, call] { Begin(call, ThreadKind::kCompute); };
  task.reject = [this, call](const Status& status) { Answer(call, status); };
  Status accepted = Enqueue(server_, task);
  if (!accepted.ok()) Answer(call, accepted);
}

void InferStream::Begin(const std::shared_ptr<Call>& call, ThreadKind thread) {
  call->observed.times.Resume();
  const wire::Message message = std::exchange(call->message, {});
  auto read = Guarded(
      [&] { return ReadInferCall(server_, call->access, regions_, message, call->request); });
  call->observed.times.End(Stage::kDecode);
  if (!read.ok()) {
    // The client finds the request by its id, also if it cannot be read.
    if (call->request.id.empty()) call->request.id = ParseInferHead(message, server_.limits).id;
    return Answer(call, read.status());
  }
  call->note = NoteOf(*read);
  RunControl control{DeadlineOf(context_), &cancelled_, &server_.pool};
  ApplyRequestSettings(*read, control, call->context);
  ExecuteCall(server_, *std::move(read), control, thread, call->context, call->observed,
              [this, call](StatusOr<CallOutput> output) { Answer(call, std::move(output)); });
}

void InferStream::Answer(const std::shared_ptr<Call>& call, StatusOr<CallOutput> output) {
  auto write = [&]() -> StatusOr<grpc::ByteBuffer> {
    SIGNET_RETURN_IF_ERROR(output.status());
    SIGNET_ASSIGN_OR_RETURN(InferResponse response,
                            ResponseOfCall(call->request, *output, regions_, server_.limits));
    response.is_final_in_stream = true;
    SIGNET_ASSIGN_OR_RETURN(wire::Pieces pieces, WriteStreamInferResponse(response));
    return AdmitResponse(server_, context_, std::move(pieces));
  };
  auto message = Guarded(write);
  const Status status = message.status();
  server_.stats.CountCall(status.code());
  call->observed.is_unwanted = cancelled_.load(std::memory_order_relaxed);
  if (message.ok()) {
    response_ = *std::move(message);
    call->observed.response_bytes = response_.Length();
  } else {
    const Status shown = InferCallErrorOf(status, call->request.parameters, call->request.model,
                                          call->request.version);
    inference::ModelStreamInferResponse error;
    error.set_error_message(GrpcStatusOf(shown).error_message());
    error.mutable_infer_response()->set_id(AsUtf8(call->request.id));
    response_ = ByteBufferOf(error);
  }
  server_.observer.End(call->observed, status);
  LogCall(call->observed.rpc, context_, status, call->note);
  StartWrite(&response_);  // the stream cannot end before this call
}

void InferStream::OnWriteDone(bool ok) {
  response_.Clear();
  if (!ok) return End(Cancelled("the client has ended the stream"), /*is_idle=*/false);
  ReadNext();
}

void InferStream::End(const Status& status, bool is_idle) {
  {
    std::lock_guard lock(mu_);
    if (has_ended_ || (is_idle && !is_reading_)) return;
    has_ended_ = true;
  }
  Finish(GrpcStatusOf(status));
}

void InferStream::OnDone() {
  open_.Remove(this);
  server_.stats.in_flight.fetch_sub(1, std::memory_order_release);
  delete this;
}

}  // namespace signet
