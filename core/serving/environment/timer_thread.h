// TimerThread: the real Timers, whose callbacks run on one thread. Thread-safe. Functions that were
// not called are dropped by the destructor.

#pragma once

#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "core/serving/environment/timers.h"

namespace signet {

class TimerThread final : public Timers {
 public:
  TimerThread();
  ~TimerThread() override;
  TimerThread(const TimerThread&) = delete;
  TimerThread& operator=(const TimerThread&) = delete;

  Clock::time_point Now() const override { return Clock::now(); }
  std::chrono::system_clock::time_point WallTime() const override {
    return std::chrono::system_clock::now();
  }
  std::shared_ptr<void> CallAt(Clock::time_point time, std::function<void()> callback) override;

 private:
  using Key = std::pair<Clock::time_point, uint64_t>;

  void Run();
  void Forget(const Key& key);

  std::mutex mu_;
  std::map<Key, std::function<void()>> callbacks_;  // guarded by mu_
  uint64_t next_id_ = 0;                            // guarded by mu_
  bool stopping_ = false;                           // guarded by mu_
  std::condition_variable changed_;
  std::thread thread_;
};

}  // namespace signet
