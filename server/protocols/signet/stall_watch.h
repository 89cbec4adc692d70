// StallWatch: cancels a call whose client sends nothing for some time.
//
//   StallWatch watch(context, stall_seconds);
//   while (reader.Read(&message)) watch.NoteProgress();
//   if (watch.Stop()) ...   // the call was cancelled, because the client stalled
//
// A thread waits for the time, because a read of gRPC's synchronous API has no timeout.
// Thread-safe.

#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include <grpcpp/server_context.h>

namespace signet {

class StallWatch {
 public:
  // `context` must outlive the watch.
  StallWatch(grpc::ServerContext& context, int seconds)
      : context_(context), time_(seconds), thread_([this] { Run(); }) {}
  ~StallWatch() { Stop(); }
  StallWatch(const StallWatch&) = delete;
  StallWatch& operator=(const StallWatch&) = delete;

  // Starts the time again.
  void NoteProgress() {
    std::lock_guard lock(mu_);
    ++progress_;
    changed_.notify_one();
  }
  // Ends the watch. Returns true if it has cancelled the call.
  bool Stop() {
    {
      std::lock_guard lock(mu_);
      is_stopped_ = true;
      changed_.notify_one();
    }
    if (thread_.joinable()) thread_.join();
    return has_cancelled_;
  }
  // Returns true if the call has ended for any reason.
  bool is_cancelled() const { return context_.IsCancelled(); }

 private:
  void Run() {
    std::unique_lock lock(mu_);
    while (!is_stopped_) {
      const int64_t before = progress_;
      const bool has_changed =
          changed_.wait_for(lock, time_, [&] { return is_stopped_ || progress_ != before; });
      if (has_changed) continue;
      has_cancelled_ = true;
      context_.TryCancel();
      return;
    }
  }

  grpc::ServerContext& context_;
  const std::chrono::seconds time_;
  std::mutex mu_;
  std::condition_variable changed_;
  int64_t progress_ = 0;        // guarded by mu_
  bool is_stopped_ = false;     // guarded by mu_
  bool has_cancelled_ = false;  // written by the thread before it ends
  std::thread thread_;          // last, because it uses the other members
};

}  // namespace signet
