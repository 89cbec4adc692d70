#include "server/call/execute_call.h"

#include <memory>
#include <utility>

#include "server/call/await_model.h"

namespace signet {
namespace {

using Answer = std::function<void(StatusOr<CallOutput>)>;

// Returns null if calls of the function are not joined.
std::shared_ptr<Batcher> BatcherOf(ServerContext& server, const CalledFunction& called) {
  return server.batching.BatcherOf(
      called.model, *called.function,
      called.settings == nullptr ? nullptr : &called.settings->settings);
}

void Execute(ServerContext& server, CallRequest request, RunControl control, ThreadKind thread,
             CallContext context, ObservedCall& observed, Answer answer, int loads) {
  auto called = Guarded([&] { return FindCalledFunction(server.repository, request); });
  if (!called.ok() && IsLoadedOnDemand(called.status()) && loads < kMostLoadsPerCall) {
    auto waiting = std::make_shared<CallRequest>(std::move(request));
    observed.times.End(Stage::kBind);
    observed.times.Wait();
    return AwaitModel(server, waiting->model, waiting->version, waiting->label, control.deadline,
                      [&server, &observed, waiting, control, context, answer = std::move(answer),
                       loads](Status loaded) {
                        observed.times.Resume();
                        if (loaded.ok()) loaded = control.Check();
                        if (!loaded.ok()) return answer(std::move(loaded));
                        Execute(server, std::move(*waiting), control, ThreadKind::kMaker, context,
                                observed, answer, loads + 1);
                      });
  }
  if (!called.ok()) {
    observed.times.End(Stage::kBind);
    return answer(std::move(called).status());
  }
  ExecuteFound(server, *std::move(called), std::move(request), control, thread, context, observed,
               std::move(answer));
}

}  // namespace

void ExecuteCall(ServerContext& server, CallRequest request, const RunControl& control,
                 ThreadKind thread, const CallContext& context, ObservedCall& observed,
                 std::function<void(StatusOr<CallOutput>)> answer) {
  Execute(server, std::move(request), control, thread, context, observed, std::move(answer),
          /*loads=*/0);
}

void ExecuteFound(ServerContext& server, CalledFunction called, CallRequest request,
                  const RunControl& given, ThreadKind thread, const CallContext& given_context,
                  ObservedCall& observed, std::function<void(StatusOr<CallOutput>)> answer) {
  RunControl control = given;
  CallContext context = given_context;
  auto call = Guarded([&] { return BindCall(std::move(called), std::move(request)); });
  observed.times.End(Stage::kBind);
  if (!call.ok()) return answer(std::move(call).status());
  // A profile shows the plan of this call, not of a batch.
  auto batcher = control.profile != nullptr ? nullptr : BatcherOf(server, call->called);
  server.observer.SetFunction(observed, call->called);
  call->times = &observed.times;
  const std::shared_ptr<const LoadedModel> model = call->called.model;
  context.model = model->name();
  context.priority = server.scheduler.PriorityOfCall(context.model, context.requested);
  control.parallel = context.priority == Priority::kLow ? &server.low_pool : &server.pool;
  const int batch_priority = -static_cast<int>(context.priority);
  RunWork(server,
          CallExecution(*std::move(call), server.limits, std::move(batcher), batch_priority),
          control, thread, std::move(answer), context);
}

}  // namespace signet
