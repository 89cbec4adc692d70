// DeadlineWatch: calls functions at deadlines, on one thread.
//
//   std::shared_ptr<void> expiry = watch.CallAt(deadline, [weak] { ... });
//   expiry.reset();   // the function is no longer needed
//
// It answers calls that wait for something that does not observe deadlines, such as a concrete
// function that another call makes. Calls in the queues of the scheduler do not need it.
// Thread-safe.

#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

namespace signet {

class DeadlineWatch {
 public:
  using Clock = std::chrono::steady_clock;

  DeadlineWatch();
  ~DeadlineWatch();  // functions that were not called are dropped
  DeadlineWatch(const DeadlineWatch&) = delete;
  DeadlineWatch& operator=(const DeadlineWatch&) = delete;

  // Calls `callback` at `time`, unless the returned object is destroyed before. The function may
  // still run while the object is destroyed. It must be short. This object must outlive the
  // returned one.
  [[nodiscard]] std::shared_ptr<void> CallAt(Clock::time_point time,
                                             std::function<void()> callback);

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
