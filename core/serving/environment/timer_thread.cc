#include "core/serving/environment/timer_thread.h"

namespace signet {

TimerThread::TimerThread() : thread_([this] { Run(); }) {}

TimerThread::~TimerThread() {
  {
    std::lock_guard lock(mu_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

std::shared_ptr<void> TimerThread::CallAt(Clock::time_point time, std::function<void()> callback) {
  Key key;
  bool is_first = false;
  {
    std::lock_guard lock(mu_);
    key = {time, next_id_++};
    const auto added = callbacks_.emplace(key, std::move(callback)).first;
    is_first = added == callbacks_.begin();
  }
  if (is_first) changed_.notify_one();
  return {static_cast<void*>(this), [this, key](void* /*timers*/) { Forget(key); }};
}

void TimerThread::Forget(const Key& key) {
  std::function<void()> callback;  // destroyed after the lock is released
  std::lock_guard lock(mu_);
  auto found = callbacks_.find(key);
  if (found == callbacks_.end()) return;
  callback = std::move(found->second);
  callbacks_.erase(found);
}

void TimerThread::Run() {
  std::unique_lock lock(mu_);
  while (!stopping_) {
    if (callbacks_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const auto first = callbacks_.begin();
    if (const auto time = first->first.first; Clock::now() < time) {
      changed_.wait_until(lock, time);
      continue;
    }
    std::function<void()> callback = std::move(first->second);
    callbacks_.erase(first);
    lock.unlock();
    callback();
    callback = nullptr;
    lock.lock();
  }
}

Timers& SystemTimers() {
  static auto* const timers = new TimerThread;  // never destroyed: timers may be used until the end
  return *timers;
}

}  // namespace signet
