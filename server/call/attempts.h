// Attempts: runs work that starts on a network thread and may have to continue on another thread.
//
//   struct Work {                                  // movable
//     using Outcome = ...;                         // constructed from a Status
//     Outcome Attempt(const RunControl& control);  // starts, or continues after a stop
//     Outcome Fail(Status status);                 // the function that it waited for has failed
//   };
//
//   1. The first attempt runs on the calling thread. Small work ends there.
//   2. Work that needs a concrete function continues on a maker thread, and ends there if it is
//      small.
//   3. Long work continues on a compute thread.
//   4. Work that waits for a function that other work makes occupies no thread. It counts as
//      queued. If its deadline passes while it waits for a function or a maker thread, it is
//      answered at its deadline.
//   5. Work that waits for a batch (core/serving/batching) occupies no thread either. It continues
//      on the thread that ran the batch.
//   6. Work that leaves its first thread is rejected if the queue is full. Work for a compute
//      thread waits in the scheduler, which decides about its order
//      (core/serving/admission/call_queues.h).
//   7. Work of low priority, and of models with a fixed number of concurrent calls, starts on a
//      compute thread.
//
// Network threads therefore neither run large work nor wait. Other threads wait in one case only:
// while another thread makes the plan of a concrete function whose shared plan failed. Thread-safe.

#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "core/runtime/function_cache.h"
#include "core/runtime/run_control.h"
#include "server/call/call_context.h"
#include "server/call/serving.h"

namespace signet {

enum class ThreadKind : uint8_t { kNetwork, kMaker, kCompute };

inline Deferral DeferralOn(ThreadKind thread) {
  return {.may_make = thread != ThreadKind::kNetwork,
          .must_be_short = thread != ThreadKind::kCompute};
}

// Returns RESOURCE_EXHAUSTED with reason QUEUE_FULL if the maximum number of calls waits.
Status CheckQueue(const ServerContext& server);
// Runs or rejects `task` on another thread, later. Returns an error if it is not accepted; the task
// is then unchanged.
Status Enqueue(ServerContext& server, Task& task);
// Returns a task of a call. The flags of `control` identify it.
Task TaskOf(const CallContext& context, const RunControl& control);

// Runs one step of a call. Converts an exception to an error of this call.
template <class Step>
auto Guarded(Step step) -> decltype(step()) {
  try {
    return step();
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("out of memory for the values of this call");
  } catch (const std::exception&) {
    return Internal("a step of the call stopped unexpectedly");
  }
}

// Runs work that has left the thread on which it started.
template <class Work>
class Attempts : public std::enable_shared_from_this<Attempts<Work>> {
 public:
  using Outcome = typename Work::Outcome;
  using Answer = std::function<void(Outcome)>;

  Attempts(ServerContext& server, Work work, const RunControl& control, Answer answer,
           const CallContext& context)
      : server_(server),
        work_(std::move(work)),
        control_(control),
        answer_(std::move(answer)),
        model_(context.model),
        context_(context) {
    context_.model = model_;
  }

  // Moves the work from its first thread, where it stopped, to another one.
  void Leave(const Deferral& stop) {
    if (stop.must_move) return ContinueOnCompute(/*continues=*/false);
    Status room = CheckQueue(server_);
    if (!room.ok()) return answer_(Outcome(std::move(room)));
    server_.stats.queued_calls.fetch_add(1, std::memory_order_relaxed);
    GoOnAfter(stop);
  }

  // Continues the work on the calling thread.
  void Continue(ThreadKind thread) {
    if (!EndWait()) return;
    Status still_wanted = control_.Check();
    if (!still_wanted.ok()) return answer_(Outcome(std::move(still_wanted)));
    Deferral deferral = DeferralOn(thread);
    control_.deferral = &deferral;
    const auto start = std::chrono::steady_clock::now();
    Outcome outcome = Guarded([&] { return work_.Attempt(control_); });
    control_.deferral = nullptr;
    if (!control_.Check().ok()) {
      server_.scheduler.stats().wasted_ns.fetch_add(
          static_cast<uint64_t>((std::chrono::steady_clock::now() - start).count()),
          std::memory_order_relaxed);
    }
    if (!deferral.is_stopped()) return answer_(std::move(outcome));
    GoOnAfter(deferral);
  }

  // Continues the work on a compute thread. Work that has not left its first thread, which does not
  // continue, may be rejected.
  void ContinueOnCompute(bool continues) {
    Task task = TaskOf(context_, control_);
    task.continues = continues;
    task.run = [self = this->shared_from_this()] { self->Continue(ThreadKind::kCompute); };
    task.reject = [self = this->shared_from_this()](Status status) {
      self->answer_(Outcome(std::move(status)));
    };
    Status accepted = Enqueue(server_, task);
    if (!accepted.ok()) answer_(Outcome(std::move(accepted)));
  }

 private:
  enum class Wait : uint8_t { kNone, kWaiting, kExpired };

  // Begins to wait for a function or a maker thread, or goes on waiting. Returns false if the work
  // was answered, because its deadline passed while it waited.
  bool BeginWait() {
    if (!control_.deadline) return true;
    auto before = Wait::kNone;
    if (!wait_.compare_exchange_strong(before, Wait::kWaiting)) return before == Wait::kWaiting;
    expiry_ = server_.timers.CallAt(*control_.deadline, [weak = this->weak_from_this()] {
      auto self = weak.lock();
      auto waiting = Wait::kWaiting;
      if (self == nullptr || !self->wait_.compare_exchange_strong(waiting, Wait::kExpired)) return;
      self->answer_(Outcome(
          DeadlineExceeded("the deadline of the call passed while it waited for a thread")));
    });
    return true;
  }
  // Returns false if the deadline has passed during the wait, so that the work is answered.
  bool EndWait() {
    auto waiting = Wait::kWaiting;
    if (!wait_.compare_exchange_strong(waiting, Wait::kNone)) return waiting == Wait::kNone;
    expiry_.reset();
    return true;
  }

  void GoOnAfter(const Deferral& stop) {
    if (stop.awaited != nullptr) return Await(stop);
    if (stop.await_result != nullptr) return AwaitResult(stop);
    if (stop.must_move) return ContinueOnCompute(/*continues=*/true);
    ContinueOnMaker();
  }

  void ContinueOnMaker() {
    if (!BeginWait()) return;
    server_.makers.Schedule(
        [self = this->shared_from_this()] { self->Continue(ThreadKind::kMaker); });
  }

  void Await(const Deferral& deferral) {
    if (!BeginWait()) return;
    server_.waiting_calls.fetch_add(1, std::memory_order_relaxed);
    deferral.awaited->OnDone(
        [self = this->shared_from_this(), shares = deferral.shares_error](const Status& made) {
          self->server_.waiting_calls.fetch_sub(1, std::memory_order_relaxed);
          if (shares && !made.ok()) {
            if (self->EndWait()) self->answer_(self->work_.Fail(made));
            return;
          }
          self->ContinueOnMaker();
        });
  }

  // The call continues on the thread that computed its result.
  void AwaitResult(const Deferral& deferral) {
    server_.waiting_calls.fetch_add(1, std::memory_order_relaxed);
    deferral.await_result([self = this->shared_from_this()] {
      self->server_.waiting_calls.fetch_sub(1, std::memory_order_relaxed);
      self->Continue(ThreadKind::kCompute);
    });
  }

  ServerContext& server_;
  Work work_;
  RunControl control_;
  const Answer answer_;
  const std::string model_;
  CallContext context_;
  std::atomic<Wait> wait_ = Wait::kNone;
  std::shared_ptr<void> expiry_;  // of the wait
};

// Runs `work` and calls `answer` once, before or after this function returns. The objects that
// `control` refers to must live until then. `thread` is the kind of the calling thread.
template <class Work>
void RunWork(ServerContext& server, Work work, RunControl control, ThreadKind thread,
             std::function<void(typename Work::Outcome)> answer, const CallContext& context = {}) {
  auto leave = [&] {
    return std::make_shared<Attempts<Work>>(server, std::move(work), control, std::move(answer),
                                            context);
  };
  if (thread != ThreadKind::kNetwork) return leave()->Continue(thread);
  if (!server.scheduler.MayRunAtOnce(context.model, context.priority)) {
    return leave()->ContinueOnCompute(/*continues=*/false);
  }
  Deferral deferral = DeferralOn(thread);
  control.deferral = &deferral;
  typename Work::Outcome outcome = Guarded([&] { return work.Attempt(control); });
  control.deferral = nullptr;
  if (!deferral.is_stopped()) return answer(std::move(outcome));
  leave()->Leave(deferral);
}

}  // namespace signet
