#include "core/serving/admission/scheduler.h"

#include <algorithm>
#include <utility>

namespace signet {
namespace {

using Clock = CallQueues::Clock;

void RejectAll(std::vector<CallQueues::RejectedTask>& rejected) {
  for (auto& [task, status] : rejected) task.reject(std::move(status));
  rejected.clear();
}

}  // namespace

Scheduler::Scheduler(CallQueues::Options options, Timers& timers, Runner run, Runner run_low)
    : timers_(timers),
      run_(std::move(run)),
      run_low_(std::move(run_low)),
      queues_(options, stats_),
      wakeup_(timers, [this] { RejectUnwanted(); }) {}

void Scheduler::Configure(std::string_view model, const v1::ModelSettings& settings) {
  std::lock_guard lock(mu_);
  if (!has_settings_ && IsDefault(settings.scheduling())) return;
  has_settings_ = true;
  queues_.Configure(model, settings.scheduling());
  StartAll(Lane::kNormal);
  StartAll(Lane::kLow);
}

Priority Scheduler::PriorityOfCall(std::string_view model,
                                   std::optional<Priority> requested) const {
  Priority highest = Priority::kNormal;
  if (has_settings_.load(std::memory_order_relaxed)) {
    std::lock_guard lock(mu_);
    highest = queues_.HighestPriority(model);
  }
  return requested ? std::max(*requested, highest) : highest;
}

bool Scheduler::MayRunAtOnce(std::string_view model, Priority priority) const {
  if (priority == Priority::kLow) return false;
  if (!has_settings_.load(std::memory_order_relaxed)) return true;
  std::lock_guard lock(mu_);
  return queues_.MayBypass(model);
}

Status Scheduler::Submit(Task& task, size_t elsewhere) {
  std::vector<CallQueues::RejectedTask> displaced;
  Status accepted;
  std::optional<Clock::time_point> deadline;
  {
    std::lock_guard lock(mu_);
    const Clock::time_point now = timers_.Now();
    const Lane lane = LaneOf(task.priority);
    accepted = queues_.Add(task, now, elsewhere, displaced);
    StartAll(lane);
    deadline = queues_.FirstDeadline();
  }
  if (deadline) wakeup_.At(*deadline);
  RejectAll(displaced);
  return accepted;
}

void Scheduler::Cancel(const std::atomic<bool>* call) {
  {
    std::lock_guard lock(mu_);
    const size_t before = to_reject_.size();
    queues_.Cancel(call, timers_.Now(), to_reject_);
    if (to_reject_.size() == before) return;
  }
  wakeup_.At(timers_.Now());
}

void Scheduler::StartAll(Lane lane) {
  while (auto started = queues_.Start(lane, timers_.Now())) {
    auto shared = std::make_shared<std::unique_ptr<CallQueues::Started>>(std::move(started));
    const Runner& run = lane == Lane::kLow ? run_low_ : run_;
    run([this, lane, shared] { Work(lane, std::move(*shared)); });
  }
}

void Scheduler::Work(Lane lane, std::unique_ptr<CallQueues::Started> task) {
  while (task != nullptr) {
    task->Run();
    std::lock_guard lock(mu_);
    const Clock::time_point now = timers_.Now();
    queues_.Finish(std::move(task), now);
    task = queues_.Start(lane, now);
    // A model that had reached its number of concurrent calls may continue in the other lane.
    StartAll(lane == Lane::kLow ? Lane::kNormal : Lane::kLow);
  }
}

void Scheduler::RejectUnwanted() {
  std::vector<CallQueues::RejectedTask> rejected;
  std::optional<Clock::time_point> deadline;
  {
    std::lock_guard lock(mu_);
    queues_.Expire(timers_.Now(), to_reject_);
    rejected.swap(to_reject_);
    deadline = queues_.FirstDeadline();
  }
  if (deadline) wakeup_.At(*deadline);
  RejectAll(rejected);
}

}  // namespace signet
