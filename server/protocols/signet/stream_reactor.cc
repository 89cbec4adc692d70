#include "server/protocols/signet/stream_reactor.h"

#include <utility>
#include <vector>

#include "core/describe/error_message.h"
#include "server/protocols/signet/errors.h"
#include "server/protocols/signet/read_call.h"
#include "server/protocols/signet/response.h"
#include "server/transport/byte_buffers.h"
#include "server/transport/deadline.h"

namespace signet {
namespace {

grpc::ByteBuffer ErrorResponse(uint64_t id, const Status& status) {
  v1::CallStreamResponse response;
  response.set_id(id);
  *response.mutable_error() = ErrorToMessage(status);
  return ByteBufferOf(response);
}

// Adds the times of the stages to a serialized CallStreamResponse. The times are known only after
// the response was written.
void AddStageTimes(const StageTimes& times, grpc::ByteBuffer& message) {
  v1::CallStreamResponse more;
  more.set_stage_times(StageTimesText(times));
  std::vector<grpc::Slice> slices;
  // A concatenation of serialized messages is the serialized union of their fields.
  if (!message.Dump(&slices).ok()) return;
  slices.emplace_back(more.SerializeAsString());
  message = grpc::ByteBuffer(slices.data(), slices.size());
}

}  // namespace

StreamReactor::StreamReactor(ServerContext& server, grpc::CallbackServerContext& context,
                             OpenStreams<StreamReactor>& open)
    : server_(server), context_(context), open_(open) {
  server_.stats.in_flight.fetch_add(1, std::memory_order_relaxed);
}

void StreamReactor::Start() {
  open_.Add(this);
  Status permitted = Authenticate().status();
  auto call = CallContextOf(context_, 0);
  if (call.ok()) call_ = *call;
  if (permitted.ok()) permitted = call.status();
  Advance(permitted.ok(), [&] {
    if (!permitted.ok()) EndReads(permitted);
  });
}

StatusOr<Access> StreamReactor::Authenticate() const {
  SIGNET_ASSIGN_OR_RETURN(Access access, server_.access.Authenticate(context_));
  SIGNET_RETURN_IF_ERROR(access.Check(Rpc::kCall));
  return access;
}

void StreamReactor::Drain() {
  Advance(false, [this] { EndReads(Unavailable("the server is stopping")); });
}

void StreamReactor::OnReadDone(bool ok) {
  if (ok) Receive();
  Advance(true, [this, ok] {
    reading_ = false;
    if (!ok) EndReads(absl::OkStatus());
  });
}

void StreamReactor::Receive() {
  server_.listener.NoteCall(context_);
  auto observed = std::make_shared<ObservedCall>();
  server_.observer.Begin(*observed, context_, "signet.v1.TensorService/CallStream");
  const Status expanded = server_.expander.Expand(request_);
  const size_t bytes = request_.Length();
  observed->request_bytes = bytes;
  if (observed->is_captured) observed->request = request_;
  wire::Message message = MessageOf(request_);
  request_.Clear();
  {
    std::lock_guard lock(mu_);
    ++in_flight_;
    bytes_in_flight_ += bytes;
  }
  if (!expanded.ok()) return EndStream(*observed, expanded);
  if (bytes <= kSmallRequestBytes) return Begin(std::move(message), observed, ThreadKind::kNetwork);
  Queue(std::move(message), observed);
}

void StreamReactor::Queue(wire::Message message, const std::shared_ptr<ObservedCall>& observed) {
  const wire::RequestHead head = wire::ParseStreamHead(message, server_.limits);
  CallContext waiting = call_;
  waiting.bytes = observed->request_bytes;
  AddHead(server_, head, waiting);
  Task task = TaskOf(waiting, {.deadline = DeadlineOf(context_), .cancelled = &cancelled_});
  observed->times.Wait();
  task.run = [this, message = std::move(message), observed]() mutable {
    Begin(std::move(message), observed, ThreadKind::kCompute);
  };
  task.reject = [this, id = head.id, observed](Status status) {
    Answer(id, *observed, std::move(status));
  };
  Status accepted = Enqueue(server_, task);
  if (!accepted.ok()) Answer(head.id, *observed, std::move(accepted));
}

void StreamReactor::Begin(wire::Message message, const std::shared_ptr<ObservedCall>& observed,
                          ThreadKind thread) {
  observed->times.Resume();
  const size_t bytes = observed->request_bytes;
  // The token may have expired, or the permissions may have changed, since the last call.
  auto access = Authenticate();
  if (!access.ok()) return EndStream(*observed, access.status());
  auto request = Guarded([&] { return ReadStreamCall(server_, *access, message); });
  message = {};
  observed->times.End(Stage::kDecode);
  // Without an id, no response is possible.
  if (!request.ok()) return EndStream(*observed, request.status());
  Status fits = request->call.status();
  if (fits.ok()) fits = access->Check(Rpc::kCall, request->call->model);
  StatusOr<CallSlot> slot = fits.ok() ? access->Begin(bytes) : fits;
  if (fits.ok()) fits = slot.status();
  if (fits.ok()) fits = server_.unread.CheckRoom(context_);
  if (!fits.ok()) return Answer(request->id, *observed, std::move(fits));
  RunControl control{DeadlineOf(context_), &cancelled_, &server_.pool};
  CallNote note = NoteOf(*request->call);
  CallContext call = call_;
  call.bytes = bytes;
  call.arrival = observed->times.begin();
  ExecuteCall(server_, *std::move(request->call), control, thread, call, *observed,
              [this, id = request->id, observed, note = std::move(note), slot = *slot](
                  const StatusOr<CallOutput>& output) { Answer(id, *observed, output, note); });
}

void StreamReactor::EndStream(ObservedCall& observed, const Status& why) {
  server_.stats.CountCall(why.code());
  server_.observer.End(observed, why);
  LogCall("CallStream", context_, why, {});
  Advance(false, [&] {
    Forget(observed.request_bytes);
    EndReads(why);
  });
}

void StreamReactor::Answer(uint64_t id, ObservedCall& observed, const StatusOr<CallOutput>& output,
                           const CallNote& note) {
  auto write = [&]() -> StatusOr<grpc::ByteBuffer> {
    SIGNET_RETURN_IF_ERROR(output.status());
    return AdmitResponse(server_, context_,
                         wire::WriteStreamResponse(id, output->result, output->model_version));
  };
  StatusOr<grpc::ByteBuffer> message = write();
  server_.stats.CountCall(message.status().code());
  observed.is_unwanted = cancelled_.load(std::memory_order_relaxed);
  if (message.ok()) {
    observed.response_bytes = message->Length();
    if (observed.is_captured) observed.response = *message;
  }
  server_.observer.End(observed, message.status());
  LogCall("CallStream", context_, message.status(), note);
  if (!message.ok()) message = ErrorResponse(id, message.status());
  if (observed.wants_times) AddStageTimes(observed.times, *message);
  const size_t request_bytes = observed.request_bytes;
  size_t bytes = message->Length();
  Advance(false, [&] {
    bytes_in_flight_ += bytes;
    answers_.push_back({*std::move(message), request_bytes + bytes});
  });
}

void StreamReactor::OnWriteDone(bool ok) {
  Advance(true, [this, ok] {
    writing_ = false;
    if (!ok) {
      writes_ended_ = true;
      EndReads(Cancelled("the client has ended the stream"));
    }
    Forget(answers_.front().bytes);
    answers_.pop_front();
  });
}

void StreamReactor::Forget(size_t bytes) {
  --in_flight_;
  bytes_in_flight_ -= bytes;
}

void StreamReactor::EndReads(const Status& why) {
  if (!reads_ended_) end_ = GrpcStatusOf(why);
  reads_ended_ = true;
}

void StreamReactor::Advance(bool may_read, absl::FunctionRef<void()> change) {
  const grpc::ByteBuffer* write = nullptr;
  bool read = false;
  bool finish = false;
  grpc::Status end;
  {
    std::lock_guard lock(mu_);
    change();
    if (writes_ended_ && !writing_) {
      for (const PendingAnswer& answer : answers_) Forget(answer.bytes);
      answers_.clear();
    }
    if (!answers_.empty() && !writing_) {
      writing_ = true;
      write = &answers_.front().message;
    }
    if (reads_ended_) {
      finish = in_flight_ == 0 && !finished_;
      finished_ = finished_ || finish;
      if (finish) end = end_;
    } else if (may_read && !reading_ && in_flight_ < server_.transport.stream_calls &&
               bytes_in_flight_ < kStreamBytes) {
      read = reading_ = true;
    }
  }
  // Each step may let another thread delete this object, so no member is used after it.
  if (read) StartRead(&request_);
  if (write != nullptr) StartWrite(write);
  if (finish) Finish(std::move(end));
}

void StreamReactor::OnDone() {
  open_.Remove(this);
  server_.stats.in_flight.fetch_sub(1, std::memory_order_release);
  delete this;
}

}  // namespace signet
