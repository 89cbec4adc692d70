#include "server/protocols/tensorflow/serving_reactor.h"

#include <utility>

#include "server/call/await_model.h"
#include "server/transport/byte_buffers.h"

namespace signet::tf {

void ServingReactor::Begin(ThreadKind thread) {
  auto tasks = Guarded([&] { return serving_->ReadTasks(MessageOf(request_), server_.limits); });
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
    return AwaitModel(server_, target.model, target.version, target.label, MakeControl().deadline,
                      [this, loads](const Status& loaded) {
                        observed_.times.Resume();
                        if (!loaded.ok())
                          return FinishWith(TranslateFindError(tasks_[next_].target, loaded));
                        ExecuteNext(ThreadKind::kMaker, loads + 1);
                      });
  }
  observed_.times.End(Stage::kBind);
  if (!called.ok()) return FinishWith(called.status());
  auto call =
      Guarded([&] { return serving_->Read(MessageOf(request_), next_, *called, server_.limits); });
  observed_.times.End(Stage::kDecode);
  if (!call.ok()) return FinishWith(call.status());
  call->model = target.model;
  call->function = called->function->def().name;
  note_ = NoteOf(*call);
  ExecuteFound(
      server_, *called, *std::move(call), MakeControl(), thread, call_, observed_,
      [this, called = *called](StatusOr<CallOutput> output) { Add(called, std::move(output)); });
}

void ServingReactor::Add(const CalledFunction& called, StatusOr<CallOutput> output) {
  if (!output.ok()) return FinishWith(output.status());
  Status added = Guarded([&] { return serving_->Add(next_, called, *std::move(output)); });
  if (!added.ok()) return FinishWith(At(called.path(), std::move(added)));
  if (++next_ < tasks_.size()) return ExecuteNext(ThreadKind::kNetwork, 0);
  Respond(serving_->Write());
}

}  // namespace signet::tf
