// CallQueues: the tasks that wait for compute threads, and the order in which they start.
//
// The rules:
//   1. Tasks of high and normal priority share one set of threads, and tasks of low priority have
//      another set (Lane), which the system runs at a lower priority.
//   2. Within a lane, a higher priority is first. While a lower priority waits, it nevertheless
//      receives 1/16 of the time of the threads: its next task starts when this share has grown to
//      the time that the task needs, at least 1 ms and at most 10 ms.
//   3. Within a priority, models share the time of the threads in proportion to their weights
//      (stride scheduling: the model that has used the least time per weight is next).
//   4. Within a model and a priority, tasks that continue are first. The others start in the order
//      of their arrival.
//   5. At most Scheduling.max_concurrent_calls tasks of a model run at once. If it is 0, the lane
//      has a ConcurrencyLimit for the tasks that wait or run.
//   6. Queues are bounded in tasks and bytes, for each model and for all models. If a limit is
//      reached, a new task displaces the newest task of a lower priority, or of the model whose
//      queue is the longest per weight. Otherwise, the new task is rejected.
//   7. A task that can start at once is never rejected.
// Rejected tasks have RESOURCE_EXHAUSTED, with reason QUEUE_FULL or OVERLOADED and the time in
// which the queue is expected to become empty (RetryAfterOf). Time comes from the caller. Not
// thread-safe.

#pragma once

#include <array>
#include <list>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "core/serving/admission/admission_stats.h"
#include "core/serving/admission/concurrency_limit.h"
#include "core/serving/admission/task.h"

namespace signet {

// The threads that run a task.
enum class Lane : uint8_t { kNormal, kLow };
inline Lane LaneOf(Priority priority) {
  return priority == Priority::kLow ? Lane::kLow : Lane::kNormal;
}

class CallQueues {
 public:
  using Clock = std::chrono::steady_clock;
  using Nanoseconds = std::chrono::nanoseconds;

  struct Options {
    int threads = 1;           // of each lane
    int64_t max_calls = 1024;  // that wait
    int64_t max_bytes = int64_t{1} << 30;
  };
  struct RejectedTask {
    Task task;
    Status status;
  };
  class Started;  // a task that runs, until Finish

  // `stats` must outlive this object.
  CallQueues(Options options, AdmissionStats& stats);
  ~CallQueues();

  // Sets the scheduling of a model, which is otherwise the default.
  void Configure(std::string_view model, const v1::Scheduling& scheduling);
  // Returns the highest priority of calls of the model.
  Priority HighestPriority(std::string_view model) const;
  // Returns true if a short call may run without a place in the queues: the number of concurrent
  // calls of the model is not set.
  bool MayBypass(std::string_view model) const;

  // Adds a task, and appends the tasks that it displaces to `displaced`. `elsewhere` is the number
  // of calls that wait outside these queues and count as queued. Returns the error if the task is
  // rejected; it is then unchanged.
  Status Add(Task& task, Clock::time_point now, size_t elsewhere,
             std::vector<RejectedTask>& displaced);
  // Takes the next task of `lane`. Returns null if no task may start.
  std::unique_ptr<Started> Start(Lane lane, Clock::time_point now);
  void Finish(std::unique_ptr<Started> started, Clock::time_point now);

  // Removes the tasks whose deadlines have passed.
  void Expire(Clock::time_point now, std::vector<RejectedTask>& expired);
  // Removes the tasks of a call or stream. A task whose deadline has passed counts as expired.
  void Cancel(const std::atomic<bool>* call, Clock::time_point now,
              std::vector<RejectedTask>& cancelled);
  // Returns the first deadline of all tasks.
  std::optional<Clock::time_point> FirstDeadline() const;

  size_t queued() const { return static_cast<size_t>(queued_calls_); }
  int64_t queued_bytes() const { return queued_bytes_; }
  // Returns the time in which the threads are expected to finish the tasks of the lane.
  Nanoseconds ExpectedWait(Lane lane) const;

 private:
  struct Model;
  struct Queue;
  struct Item;
  struct LaneState;
  using Order = std::tuple<double, uint64_t, Queue*>;

  Model& ModelOf(std::string_view name);
  LaneState& LaneStateOf(Priority priority);
  const LaneState& LaneStateOf(Priority priority) const;
  static bool Exceeds(const Task& task, int64_t queued, int64_t limit);
  // Returns true if the limits of the queues of `model` have no room for `task`.
  static bool IsFull(const Model& model, const Task& task);
  Status CheckRoom(const Task& task, const Model& model, size_t elsewhere) const;
  Status Full(std::string_view reason, Lane lane, std::string_view what, int64_t limit,
              std::string_view setting) const;
  // Returns the task that `task` displaces, so that it no longer fails with `full`, or null.
  Item* FindVictim(const Task& task, const Model& model, const Status& full) const;
  Queue* NextQueue(Lane lane) const;
  static Status Expired();
  // Removes an item from its queue and all counts.
  Task Remove(Item& item);
  // Lists the queue among those that may start a task, or removes it, and sorts it again.
  void Sort(Queue& queue);
  void SortAll(Model& model);
  void Publish();

  const Options options_;
  AdmissionStats& stats_;
  std::map<std::string, std::unique_ptr<Model>, std::less<>> models_;
  std::array<std::unique_ptr<LaneState>, 2> lanes_;
  std::array<std::set<Order>, kNumPriorities> ready_;    // queues that may start a task
  std::array<std::set<Queue*>, kNumPriorities> filled_;  // queues with tasks
  std::array<double, kNumPriorities> time_ = {};         // virtual time of the last start
  std::array<double, kNumPriorities> owed_ns_ = {};      // the share of rule 2
  std::set<std::pair<Clock::time_point, Item*>> deadlines_;
  std::unordered_multimap<const std::atomic<bool>*, Item*> by_call_;
  int64_t queued_calls_ = 0;
  int64_t queued_bytes_ = 0;
  uint64_t next_id_ = 0;
  size_t sweep_models_at_;  // models without tasks and settings are removed at this number
};

class CallQueues::Started {
 public:
  void Run() {
    task_.run();
    task_.run = nullptr;  // destroyed without a lock
    task_.reject = nullptr;
  }

 private:
  friend class CallQueues;
  Started(Task task, Queue& queue) : task_(std::move(task)), queue_(&queue) {}

  Task task_;
  Queue* queue_;
  Clock::time_point start_{};
  double expected_ns_ = 0;
  bool is_owed_ = false;      // the task uses the share of rule 2
  bool is_adaptive_ = false;  // the task counts in the limit of the lane
};

}  // namespace signet
