// Scheduler: runs the tasks of calls on compute threads, in the order of CallQueues.
//
//   Scheduler scheduler(options, SystemTimers(), run, run_low);
//   Status accepted = scheduler.Submit({.model = "recipes", .run = .., .reject = ..});
//
// The threads of a lane receive at most Options.threads tasks, so that the order of the rest can
// still change. A task whose deadline passes while it waits is rejected at its deadline. Cancelled
// and expired tasks are rejected on the thread of the timers, and displaced tasks on the thread of
// Submit. Thread-safe.

#pragma once

#include <functional>
#include <mutex>
#include <string_view>
#include <vector>

#include "core/serving/admission/call_queues.h"
#include "core/serving/environment/wakeup.h"

namespace signet {

class Scheduler {
 public:
  // Runs a task on a thread of a lane, later.
  using Runner = std::function<void(std::function<void()> task)>;

  // The threads of the runners must finish their tasks before this object is destroyed.
  Scheduler(CallQueues::Options options, Timers& timers, Runner run, Runner run_low);
  // Rejects the tasks that were cancelled or have expired.
  ~Scheduler() { RejectUnwanted(); }
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Sets how the calls of a model are scheduled. Costs nothing later if all models have the
  // default.
  void Configure(std::string_view model, const v1::ModelSettings& settings);
  // Returns the priority of a call: the requested one, but at most the priority of the model.
  // Costs one relaxed load if no model has settings and none is requested.
  Priority PriorityOfCall(std::string_view model, std::optional<Priority> requested) const;
  // Returns true if a short call may run on the thread that received it. Calls of low priority, and
  // of models with a fixed number of concurrent calls, may not.
  bool MayRunAtOnce(std::string_view model, Priority priority) const;

  // Runs or rejects the task later. Returns the error of CallQueues::Add, and leaves the task
  // unchanged, if it is not accepted.
  Status Submit(Task& task, size_t elsewhere = 0);
  // Rejects the tasks of a call or stream that wait. The flag `call` is set before.
  void Cancel(const std::atomic<bool>* call);

  size_t queued() const {
    return static_cast<size_t>(stats_.queued_calls.load(std::memory_order_relaxed));
  }
  AdmissionStats& stats() { return stats_; }
  const AdmissionStats& stats() const { return stats_; }

 private:
  // Runs tasks until none may start.
  void Work(Lane lane, std::unique_ptr<CallQueues::Started> task);
  // Starts tasks on the threads of a lane that are free. Requires mu_.
  void StartAll(Lane lane);
  void RejectUnwanted();

  AdmissionStats stats_;
  Timers& timers_;
  const Runner run_;
  const Runner run_low_;
  std::atomic<bool> has_settings_ = false;

  mutable std::mutex mu_;
  CallQueues queues_;                                // guarded by mu_
  std::vector<CallQueues::RejectedTask> to_reject_;  // guarded by mu_
  Wakeup wakeup_;  // calls RejectUnwanted; last, because it uses the members above
};

}  // namespace signet
