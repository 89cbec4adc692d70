// ThreadPool: the compute threads of the process, which run whole calls (Schedule) and pieces of
// one kernel (For).
//
// For never waits for a thread to become free: the caller works, too, and other threads join when
// they can. Nested loops therefore cannot deadlock.
//
// A thread that has worked on pieces waits actively for more for a short time before it sleeps,
// because the next kernel usually starts sooner than a sleeping thread wakes. Such a thread
// receives a piece in less than a microsecond. Sleeping threads are woken for loops that are long
// enough, alone or together with recent loops. Threads prefer whole calls to pieces of other calls,
// so that active waiting does not delay calls. Thread-safe. The destructor finishes all queued
// tasks.

#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "core/kernels/def/kernel.h"
#include "core/runtime/processors.h"

namespace signet {

class ThreadPool final : public Parallel {
 public:
  // Starts at least one thread. `niceness` is added to that of the process: with a higher number,
  // the system prefers other threads.
  explicit ThreadPool(int num_threads, int niceness = 0);
  ~ThreadPool() override;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Runs `task` on some thread. Tasks start in the order of their arrival.
  void Schedule(std::function<void()> task);
  size_t queued() const;  // tasks that have not started

  int num_threads() const override { return static_cast<int>(threads_.size()); }
  void For(int64_t count, double cost,
           absl::FunctionRef<void(int64_t begin, int64_t end)> body) override;

 private:
  struct Loop;
  // A place where threads can join a running For. A thread increments `inside`, then checks whether
  // the loop still exists. The thread that takes the last piece clears `loop`; the caller then
  // waits until `inside` is 0.
  struct alignas(64) LoopSlot {
    std::atomic<bool> taken{false};
    std::atomic<Loop*> loop{nullptr};
    std::atomic<int> inside{0};
  };
  static constexpr size_t kMaxLoops = 8;  // a For without a free slot runs only on its caller

  void Work();
  bool JoinLoops();  // works on all open loops; false if there was none
  bool HasOpenLoop() const;
  LoopSlot* ClaimSlot();
  void Wake(int64_t helpers);
  // Returns true if this loop, of `cost` nanoseconds, and the recent loops that ran on one thread
  // are together long enough to justify waking another thread.
  bool ShouldWakeHelpers(double cost);

  std::array<LoopSlot, kMaxLoops> slots_;
  std::atomic<int> num_waiting_{0};      // number of threads that wait actively
  std::atomic<int64_t> unshared_ns_{0};  // nanoseconds of consecutive loops that ran on one thread
  std::atomic<int64_t> last_unshared_start_{0};  // in nanoseconds
  std::atomic<bool> has_tasks_{false};  // whether tasks_ has elements, readable without the lock
  mutable std::mutex mu_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;  // guarded by mu_
  bool stopping_ = false;                    // guarded by mu_
  int64_t asleep_ = 0;                       // number of sleeping threads; guarded by mu_
  int64_t called_ = 0;  // number of sleeping threads to wake for loops; guarded by mu_
  std::vector<std::thread> threads_;
};

}  // namespace signet
