// ManualTimers: a time that passes only when a test says so. For one thread.

#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "core/serving/environment/timers.h"

namespace signet {

class ManualTimers final : public Timers {
 public:
  Clock::time_point Now() const override { return now_; }
  std::chrono::system_clock::time_point WallTime() const override {
    return std::chrono::system_clock::time_point(
        std::chrono::duration_cast<std::chrono::system_clock::duration>(now_.time_since_epoch()));
  }
  std::shared_ptr<void> CallAt(Clock::time_point time, std::function<void()> callback) override {
    const Key key(time, next_id_++);
    callbacks_->emplace(key, std::move(callback));
    return {static_cast<void*>(this), [weak = std::weak_ptr(callbacks_), key](void* /*timers*/) {
              if (const auto callbacks = weak.lock()) callbacks->erase(key);
            }};
  }

  // Returns the time of the first callback.
  std::optional<Clock::time_point> First() const {
    if (callbacks_->empty()) return std::nullopt;
    return callbacks_->begin()->first.first;
  }
  // Calls the first callback, if its time has come. Returns false otherwise.
  bool CallFirst() {
    if (callbacks_->empty() || callbacks_->begin()->first.first > now_) return false;
    const auto callback = std::move(callbacks_->begin()->second);
    callbacks_->erase(callbacks_->begin());
    callback();
    return true;
  }
  // Lets time pass, and calls what is due in its order.
  void PassTo(Clock::time_point time) {
    while (First() && *First() <= time) {
      now_ = std::max(now_, *First());
      CallFirst();
    }
    now_ = std::max(now_, time);
  }
  // Lets time pass without a call.
  void SetNow(Clock::time_point time) { now_ = time; }
  // Forgets all callbacks.
  void Clear() { callbacks_->clear(); }

 private:
  using Key = std::pair<Clock::time_point, uint64_t>;

  Clock::time_point now_ = Clock::time_point(std::chrono::hours(1'000'000 / 60));
  uint64_t next_id_ = 0;
  std::shared_ptr<std::map<Key, std::function<void()>>> callbacks_ =
      std::make_shared<std::map<Key, std::function<void()>>>();
};

}  // namespace signet
