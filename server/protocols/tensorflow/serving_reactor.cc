#include "server/protocols/tensorflow/serving_reactor.h"

#include <string>
#include <utility>

#include "server/call/await_model.h"
#include "server/protocols/signet/errors.h"
#include "server/protocols/signet/response.h"
#include "server/transport/byte_buffers.h"
#include "server/transport/deadline.h"

namespace signet::tf {

ServingReactor::ServingReactor(ServerContext& server, grpc::CallbackServerContext& context,
                               const grpc::ByteBuffer& request, grpc::ByteBuffer& response,
                               std::unique_ptr<ServingCall> call, const char* rpc)
    : server_(server),
      context_(context),
      request_(request),
      response_(response),
      call_(std::move(call)),
      rpc_(rpc) {
  server_.stats.in_flight.fetch_add(1);
}

void ServingReactor::Start() {
  // The RPC was counted before this check, so that no call begins after Drain has seen none.
  if (server_.draining.load()) {
    server_.stats.in_flight.fetch_sub(1);
    is_counted_ = false;
    return FinishWith(Unavailable("the server is stopping; send the call to another server"));
  }
  server_.listener.NoteCall(context_);
  server_.observer.Begin(observed_, context_, rpc_);
  observed_.is_captured = false;  // requests of other protocols cannot be replayed
  observed_.request_bytes = request_.Length();
  if (Status admitted = Admit(); !admitted.ok()) return FinishWith(admitted);
  if (request_.Length() <= kSmallRequestBytes) return Begin(ThreadKind::kNetwork);
  Task task = TaskOf(call_context_, {.deadline = DeadlineOf(context_), .cancelled = &cancelled_});
  observed_.times.Wait();
  task.run = [this] { Begin(ThreadKind::kCompute); };
  task.reject = [this](const Status& status) { FinishWith(status); };
  Status accepted = Enqueue(server_, task);
  if (!accepted.ok()) FinishWith(accepted);
}

Status ServingReactor::Admit() {
  SIGNET_ASSIGN_OR_RETURN(access_, server_.access.Authenticate(context_));
  SIGNET_RETURN_IF_ERROR(access_.Check(Rpc::kCall));
  SIGNET_ASSIGN_OR_RETURN(slot_, access_.Begin(request_.Length()));
  SIGNET_RETURN_IF_ERROR(server_.unread.CheckRoom(context_));
  SIGNET_ASSIGN_OR_RETURN(call_context_, CallContextOf(context_, request_.Length()));
  return absl::OkStatus();
}

void ServingReactor::Begin(ThreadKind thread) {
  observed_.times.Resume();
  auto tasks = Guarded([&] { return call_->ReadTasks(MessageOf(request_), server_.limits); });
  if (!tasks.ok()) return FinishWith(tasks.status());
  tasks_ = *std::move(tasks);
  for (const ServingTask& task : tasks_) {
    if (task.target.model.empty()) continue;  // an error of FindFunction
    if (Status permitted = access_.Check(Rpc::kCall, task.target.model); !permitted.ok()) {
      return FinishWith(permitted);
    }
  }
  ExecuteNext(thread, 0);
}

void ServingReactor::ExecuteNext(ThreadKind thread, int loads) {
  const auto& [target, method] = tasks_[next_];
  auto called = Guarded([&] { return FindFunction(server_.repository, target, method); });
  if (IsLoadedOnDemand(called.status()) && loads < kMostLoadsPerCall) {
    observed_.times.End(Stage::kBind);
    observed_.times.Wait();
    return AwaitModel(server_, target.model, target.version, target.label,
                      [this, loads](const Status& loaded) {
                        observed_.times.Resume();
                        if (!loaded.ok()) return FinishWith(loaded);
                        ExecuteNext(ThreadKind::kMaker, loads + 1);
                      });
  }
  observed_.times.End(Stage::kBind);
  if (!called.ok()) return FinishWith(called.status());
  auto call =
      Guarded([&] { return call_->Read(MessageOf(request_), next_, *called, server_.limits); });
  observed_.times.End(Stage::kDecode);
  if (!call.ok()) return FinishWith(call.status());
  call->model = target.model;
  call->function = called->function->def().name;
  note_ = NoteOf(*call);
  RunControl control{DeadlineOf(context_), &cancelled_, &server_.pool};
  ExecuteFound(
      server_, *called, *std::move(call), control, thread, call_context_, observed_,
      [this, called = *called](StatusOr<CallOutput> output) { Add(called, std::move(output)); });
}

void ServingReactor::Add(const CalledFunction& called, StatusOr<CallOutput> output) {
  if (!output.ok()) return FinishWith(output.status());
  Status added = Guarded([&] { return call_->Add(next_, called, *std::move(output)); });
  if (!added.ok()) return FinishWith(At(called.path(), std::move(added)));
  if (++next_ < tasks_.size()) return ExecuteNext(ThreadKind::kNetwork, 0);
  auto message = AdmitResponse(server_, context_, call_->Write());
  if (!message.ok()) return FinishWith(message.status());
  response_ = *std::move(message);
  observed_.response_bytes = response_.Length();
  FinishWith(absl::OkStatus());
}

void ServingReactor::FinishWith(const Status& status) {
  server_.stats.CountCall(status.code());
  observed_.is_unwanted = cancelled_.load(std::memory_order_relaxed);
  server_.observer.End(observed_, status);
  CallObserver::AddMetadata(observed_, context_);
  LogCall(rpc_, context_, status, note_);
  AddPushback(status, context_);
  Finish(GrpcStatusOf(status));
}

void ServingReactor::OnDone() {
  if (is_counted_) server_.stats.in_flight.fetch_sub(1, std::memory_order_release);
  delete this;
}

}  // namespace signet::tf
