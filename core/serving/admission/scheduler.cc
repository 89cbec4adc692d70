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

Scheduler::Scheduler(CallQueues::Options options, ThreadPool& pool, ThreadPool& low_pool)
    : pool_(pool), low_pool_(low_pool), queues_(options, stats_), watcher_([this] { Watch(); }) {}

Scheduler::~Scheduler() {
  {
    std::lock_guard lock(mu_);
    stopping_ = true;
  }
  wake_.notify_one();
  watcher_.join();
}

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
  bool wakes = false;
  {
    std::lock_guard lock(mu_);
    const Clock::time_point now = Clock::now();
    const Lane lane = LaneOf(task.priority);
    auto first = queues_.FirstDeadline();
    accepted = queues_.Add(task, now, elsewhere, displaced);
    StartAll(lane);
    auto next = queues_.FirstDeadline();
    wakes = next && (!first || *next < *first);
  }
  if (wakes) wake_.notify_one();
  RejectAll(displaced);
  return accepted;
}

void Scheduler::Cancel(const std::atomic<bool>* call) {
  {
    std::lock_guard lock(mu_);
    const size_t before = to_reject_.size();
    queues_.Cancel(call, Clock::now(), to_reject_);
    if (to_reject_.size() == before) return;
  }
  wake_.notify_one();
}

void Scheduler::StartAll(Lane lane) {
  while (auto started = queues_.Start(lane, Clock::now())) {
    ThreadPool& pool = lane == Lane::kLow ? low_pool_ : pool_;
    auto shared = std::make_shared<std::unique_ptr<CallQueues::Started>>(std::move(started));
    pool.Schedule([this, lane, shared] { Work(lane, std::move(*shared)); });
  }
}

void Scheduler::Work(Lane lane, std::unique_ptr<CallQueues::Started> task) {
  while (task != nullptr) {
    task->Run();
    std::lock_guard lock(mu_);
    const Clock::time_point now = Clock::now();
    queues_.Finish(std::move(task), now);
    task = queues_.Start(lane, now);
    // A model that had reached its number of concurrent calls may continue in the other lane.
    StartAll(lane == Lane::kLow ? Lane::kNormal : Lane::kLow);
  }
}

void Scheduler::Watch() {
  std::unique_lock lock(mu_);
  std::vector<CallQueues::RejectedTask> rejected;
  while (true) {
    queues_.Expire(Clock::now(), to_reject_);
    if (!to_reject_.empty()) {
      rejected.swap(to_reject_);
      lock.unlock();
      RejectAll(rejected);
      lock.lock();
      continue;
    }
    if (stopping_) return;
    if (auto deadline = queues_.FirstDeadline()) {
      wake_.wait_until(lock, *deadline);
    } else {
      wake_.wait(lock);
    }
  }
}

}  // namespace signet
