#include "server/call_reactor.h"

#include <utility>

#include "server/byte_buffers.h"
#include "server/deadline.h"
#include "server/errors.h"
#include "server/handlers/read_call.h"

namespace signet {
namespace {

// When the queue was full: how long a client should wait before it tries again.
constexpr char kPushback[] = "grpc-retry-pushback-ms";
constexpr char kPushbackMilliseconds[] = "100";

}  // namespace

CallReactor::CallReactor(Serving& serving, grpc::CallbackServerContext& context,
                         grpc::ByteBuffer& response)
    : serving_(serving), context_(context), response_(response) {
  serving_.stats.in_flight.fetch_add(1, std::memory_order_relaxed);
}

void CallReactor::Start(const grpc::ByteBuffer& request) {
  if (serving_.draining.load(std::memory_order_relaxed)) {
    return FinishWith(Unavailable("the server is stopping; another one may take the call"));
  }
  if (request.Length() <= kSmallRequestBytes) return Begin(request, ThreadKind::kNetwork);
  // gRPC keeps the request until OnDone.
  Status queued = Enqueue(serving_, [this, &request] { Begin(request, ThreadKind::kCompute); });
  if (!queued.ok()) FinishWith(queued);
}

void CallReactor::Begin(const grpc::ByteBuffer& request, ThreadKind thread) {
  auto call = Guarded([&] { return ReadCall(serving_, MessageOf(request)); });
  if (!call.ok()) return FinishWith(call.status());
  RunControl control{DeadlineOf(context_), &cancelled_, &serving_.pool};
  CarryOut(serving_, *std::move(call), control, thread,
           [this](CallOutcome outcome) { Answer(std::move(outcome)); });
}

void CallReactor::Answer(CallOutcome outcome) {
  if (!outcome.result.ok()) return FinishWith(outcome.result.status());
  wire::Pieces pieces = wire::WriteCallResponse(*outcome.result, outcome.model_version);
  Status fits = CheckResponse(pieces, serving_.limits);
  if (fits.ok()) response_ = ByteBufferOf(std::move(pieces));
  FinishWith(fits);
}

void CallReactor::FinishWith(const Status& status) {
  serving_.stats.CountCall(status.code());
  if (ReasonOf(status) == "QUEUE_FULL")
    context_.AddTrailingMetadata(kPushback, kPushbackMilliseconds);
  Finish(GrpcStatusOf(status));
}

void CallReactor::OnDone() {
  serving_.stats.in_flight.fetch_sub(1, std::memory_order_release);
  delete this;
}

}  // namespace signet
