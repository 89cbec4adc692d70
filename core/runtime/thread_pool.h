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

namespace signet {

// Returns the number of processors that this process may use: its affinity, limited by the CPU
// quota of the container, rounded up. At least 1.
int AvailableProcessors();

class ThreadPool final : public Parallel {
 public:
  explicit ThreadPool(int num_threads);  // at least 1
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
  // Where a running For can be joined. Who joins counts itself, then looks whether the loop is
  // still there. It goes with its last piece; its caller then waits until nobody counts.
  struct alignas(64) Door {
    std::atomic<bool> taken{false};
    std::atomic<Loop*> loop{nullptr};
    std::atomic<int> inside{0};
  };
  static constexpr size_t kDoors = 8;  // a For that finds none runs on its caller alone

  void Work();
  bool JoinLoops();  // works on all that are open; whether there was one
  bool HasOpenLoop() const;
  Door* TakeDoor();
  void Wake(int64_t helpers);
  // Whether loops that nobody joined, of `cost` and shortly before, would have been worth a waking.
  bool IsOneTooMany(double cost);

  std::array<Door, kDoors> doors_;
  std::atomic<int> looking_out_{0};   // threads
  std::atomic<int64_t> alone_{0};     // nanoseconds of loops that nobody joined, one after another
  std::atomic<int64_t> alone_at_{0};  // when the last of them began, in nanoseconds
  std::atomic<bool> has_tasks_{false};  // of tasks_, to look at without the lock
  mutable std::mutex mu_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;  // guarded by mu_
  bool stopping_ = false;                    // guarded by mu_
  int64_t asleep_ = 0;                       // guarded by mu_
  int64_t called_ = 0;                       // of those asleep, for loops; guarded by mu_
  std::vector<std::thread> threads_;
};

}  // namespace signet
