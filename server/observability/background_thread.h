// BlockedSignals: blocks all signals in this thread. A thread that is started while it exists
// receives no signals, because StopSignals waits for them (server/stop_signals.h).
//
// StartBackgroundThread starts such a thread. Thread-safe.

#pragma once

#include <csignal>
#include <functional>
#include <thread>
#include <utility>

namespace signet {

class BlockedSignals {
 public:
  BlockedSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~BlockedSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_;
};

inline std::thread StartBackgroundThread(std::function<void()> run) {
  const BlockedSignals blocked;
  return std::thread(std::move(run));
}

}  // namespace signet
