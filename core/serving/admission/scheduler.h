// Scheduler: runs the tasks of calls on compute threads, in the order of CallQueues.
//
//   Scheduler scheduler(options, pool, low_pool);
//   Status accepted = scheduler.Submit({.model = "recipes", .run = .., .reject = ..});
//
// A pool receives at most as many tasks as it has threads, so that the order of the rest can still
// change. One thread watches deadlines: a task whose deadline passes while it waits is rejected at
// its deadline. Cancelled and expired tasks are rejected on that thread, and displaced tasks on the
// thread of Submit. Thread-safe.

#pragma once

#include <condition_variable>
#include <mutex>
#include <string_view>
#include <thread>
#include <vector>

#include "core/runtime/thread_pool.h"
#include "core/serving/admission/call_queues.h"

namespace signet {

class Scheduler {
 public:
  // Refers to the pools, which must finish their tasks before this object is destroyed.
  Scheduler(CallQueues::Options options, ThreadPool& pool, ThreadPool& low_pool);
  ~Scheduler();
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
  void Watch();

  AdmissionStats stats_;
  ThreadPool& pool_;
  ThreadPool& low_pool_;
  std::atomic<bool> has_settings_ = false;

  mutable std::mutex mu_;
  CallQueues queues_;                                // guarded by mu_
  std::vector<CallQueues::RejectedTask> to_reject_;  // guarded by mu_
  bool stopping_ = false;                            // guarded by mu_
  std::condition_variable wake_;
  std::thread watcher_;
};

}  // namespace signet
