#include "server/call/deadline_watch.h"

namespace signet {

DeadlineWatch::DeadlineWatch() : thread_([this] { Run(); }) {}

DeadlineWatch::~DeadlineWatch() {
  {
    std::lock_guard lock(mu_);
    stopping_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

std::shared_ptr<void> DeadlineWatch::CallAt(Clock::time_point time,
                                            std::function<void()> callback) {
  Key key;
  bool is_first = false;
  {
    std::lock_guard lock(mu_);
    key = {time, next_id_++};
    const auto added = callbacks_.emplace(key, std::move(callback)).first;
    is_first = added == callbacks_.begin();
  }
  if (is_first) changed_.notify_one();
  return {static_cast<void*>(this), [this, key](void* /*watch*/) { Forget(key); }};
}

void DeadlineWatch::Forget(const Key& key) {
  std::function<void()> callback;  // destroyed after the lock is released
  std::lock_guard lock(mu_);
  auto found = callbacks_.find(key);
  if (found == callbacks_.end()) return;
  callback = std::move(found->second);
  callbacks_.erase(found);
}

void DeadlineWatch::Run() {
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

}  // namespace signet
