// BatchedCalls: executes calls of a model as the server does: on threads that join them by rows.

#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <utility>

#include "core/runtime/thread_pool.h"
#include "core/serving/batching/batching.h"
#include "core/serving/call/execute.h"
#include "tests/core/serving/call/requests.h"

namespace signet {

// Waits until `Set` is called. Thread-safe.
class Signal {
 public:
  void Set() {
    std::lock_guard lock(mu_);
    is_set_ = true;
    changed_.notify_all();
  }
  void Wait() {
    std::unique_lock lock(mu_);
    changed_.wait(lock, [this] { return is_set_; });
  }

 private:
  std::mutex mu_;
  std::condition_variable changed_;
  bool is_set_ = false;  // guarded by mu_
};

// Executes one call and waits for its outcome. `must_be_short` is as on a network thread.
inline StatusOr<Value> CallBatched(Batching& batching, const CalledFunction& called,
                                   CallArguments arguments, RunControl control = {},
                                   bool must_be_short = false) {
  static const Limits limits;
  CallRequest request;
  request.arguments = std::move(arguments);
  SIGNET_ASSIGN_OR_RETURN(BoundCall call, BindToFunction(called, std::move(request)));
  v1::ModelSettings settings;
  settings.mutable_batching()->set_max_rows(12);
  CallExecution execution(std::move(call), limits,
                          batching.BatcherOf(called.model, *called.function, &settings));
  while (true) {
    Deferral deferral{.may_make = true, .must_be_short = must_be_short};
    control.deferral = &deferral;
    auto output = execution.Attempt(control);
    if (!deferral.is_stopped()) {
      if (!output.ok()) return output.status();
      return std::get<Value>(std::move(output->result));
    }
    Signal ended;
    if (deferral.await_result != nullptr) {
      deferral.await_result([&] { ended.Set(); });
      ended.Wait();
    } else if (deferral.awaited != nullptr) {
      deferral.awaited->OnDone([&](const Status&) { ended.Set(); });
      ended.Wait();
    }
    must_be_short = false;
    SIGNET_RETURN_IF_ERROR(control.Check());
  }
}

}  // namespace signet
