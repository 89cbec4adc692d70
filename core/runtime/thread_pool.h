// ThreadPool: the process's compute threads: whole calls (Schedule) and pieces of one kernel (For).
//
// For never waits for a thread to become free: the caller works too, and others join when they can,
// so that pieces within pieces cannot deadlock. A thread that has worked on a piece looks out for
// the next a little while before it sleeps: kernels follow one another sooner than a sleeper wakes.
// Thread-safe. Destroying it finishes what is queued.

#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "core/kernels/kernel.h"

namespace signet {

// Processors this process may use: affinity, and the container's CPU quota rounded up. At least 1.
int AvailableProcessors();

class ThreadPool final : public Parallel {
 public:
  explicit ThreadPool(int num_threads);  // at least 1
  ~ThreadPool() override;
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  // Runs `task` on some thread, in order of coming.
  void Schedule(std::function<void()> task);
  size_t queued() const;  // tasks not yet begun

  int num_threads() const override { return static_cast<int>(threads_.size()); }
  void For(int64_t count, double cost,
           absl::FunctionRef<void(int64_t begin, int64_t end)> body) override;

 private:
  struct Task {
    std::function<void()> run;
    bool is_piece;  // of a For
  };
  void Add(Task task);
  void Work();

  mutable std::mutex mu_;
  std::condition_variable wake_;
  std::deque<Task> tasks_;              // guarded by mu_
  bool stopping_ = false;               // guarded by mu_
  std::atomic<bool> has_tasks_{false};  // of tasks_, to look at without the lock
  std::vector<std::thread> threads_;
};

}  // namespace signet
