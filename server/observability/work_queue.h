// WorkQueue: passes items to one background thread. A caller never waits: if the queue is full, the
// item is dropped and counted.
//
//   WorkQueue<CallSpan> queue(size_t{1} << 20, 512, milliseconds(500), [](std::vector<CallSpan>
//   batch) {
//     return Send(batch);   // the number of items that were lost
//   });
//   queue.Push(std::move(span), bytes);
//
// Thread-safe.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "server/observability/background_thread.h"

namespace signet {

template <class Item>
class WorkQueue {
 public:
  // Processes items in order, on the background thread, and returns how many of them were lost.
  using Process = std::function<size_t(std::vector<Item> batch)>;

  // `max_bytes` limits the items that wait. A batch has at most `max_batch` items, and waits at
  // most `delay` for more items.
  WorkQueue(size_t max_bytes, size_t max_batch, std::chrono::milliseconds delay, Process process)
      : max_bytes_(max_bytes),
        max_batch_(max_batch),
        delay_(delay),
        process_(std::move(process)),
        thread_(StartBackgroundThread([this] { Run(); })) {}
  // Processes the items that wait.
  ~WorkQueue() { Stop(); }
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  void Push(Item item, size_t bytes) {
    std::lock_guard lock(mu_);
    if (stop_ || bytes_ + bytes > max_bytes_) {
      dropped_.fetch_add(1, std::memory_order_relaxed);
      return;
    }
    bytes_ += bytes;
    items_.emplace_back(std::move(item), bytes);
    if (items_.size() == 1 || items_.size() == max_batch_) changed_.notify_all();
  }

  // Processes the items that wait, and drops later ones.
  void Stop() {
    {
      std::lock_guard lock(mu_);
      stop_ = true;
      changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
  }

  // Items that did not fit into the queue, or that `process` has lost.
  uint64_t num_dropped() const { return dropped_.load(std::memory_order_relaxed); }
  bool is_stopping() const {
    std::lock_guard lock(mu_);
    return stop_;
  }
  // Waits for `time`, or until Stop.
  void Sleep(std::chrono::milliseconds time) {
    std::unique_lock lock(mu_);
    changed_.wait_for(lock, time, [this] { return stop_; });
  }

 private:
  void Run() {
    std::unique_lock lock(mu_);
    while (true) {
      changed_.wait(lock, [this] { return stop_ || !items_.empty(); });
      if (items_.empty()) return;
      if (delay_.count() > 0) {
        changed_.wait_for(lock, delay_, [this] { return stop_ || items_.size() >= max_batch_; });
      }
      std::vector<Item> batch;
      size_t bytes = 0;
      while (!items_.empty() && batch.size() < max_batch_) {
        batch.push_back(std::move(items_.front().first));
        bytes += items_.front().second;
        items_.pop_front();
      }
      lock.unlock();
      dropped_.fetch_add(process_(std::move(batch)), std::memory_order_relaxed);
      lock.lock();
      bytes_ -= bytes;
    }
  }

  const size_t max_bytes_;
  const size_t max_batch_;
  const std::chrono::milliseconds delay_;
  const Process process_;
  std::atomic<uint64_t> dropped_{0};

  mutable std::mutex mu_;
  std::condition_variable changed_;
  std::deque<std::pair<Item, size_t>> items_;  // with their bytes; guarded by mu_
  size_t bytes_ = 0;    // of items that wait or are being processed; guarded by mu_
  bool stop_ = false;   // guarded by mu_
  std::thread thread_;  // last, because it uses the other members
};

}  // namespace signet
