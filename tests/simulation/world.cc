#include "tests/simulation/world.h"

#include <algorithm>
#include <utility>

namespace signet {

void World::PostAfter(std::chrono::milliseconds most, std::function<void()> task) {
  const auto time = std::chrono::milliseconds(Below(static_cast<int>(most.count()) + 1));
  if (time.count() == 0) return Post(std::move(task));
  const uint64_t id = next_timer_++;
  own_timers_[id] = timers_.CallAt(timers_.Now() + time, [this, id, task = std::move(task)] {
    Post(task);
    own_timers_.erase(id);
  });
}

bool World::RunOne() {
  if (tasks_.empty()) return false;
  const auto chosen = static_cast<size_t>(Below(static_cast<int>(tasks_.size())));
  std::swap(tasks_[chosen], tasks_.back());
  const std::function<void()> task = std::move(tasks_.back());
  tasks_.pop_back();
  task();
  return true;
}

void World::PassFor(std::chrono::milliseconds time, const std::function<void()>& check) {
  constexpr int kMostTasks = 100'000;  // at one time
  const Clock::time_point end = timers_.Now() + time;
  int tasks = 0;
  while (!is_stuck_) {
    for (; tasks < kMostTasks && RunOne(); ++tasks) check();
    is_stuck_ = tasks >= kMostTasks;
    const auto next = timers_.First();
    if (!next || *next > end) break;
    if (*next > timers_.Now()) {
      timers_.SetNow(*next);
      tasks = 0;
    }
    timers_.CallFirst();
    ++tasks;
    check();
  }
  timers_.SetNow(std::max(timers_.Now(), end));  // a task may have let time pass
}

void World::Kill() {
  tasks_.clear();
  own_timers_.clear();
  timers_.Clear();
}

}  // namespace signet
