// StartBackgroundThread: starts a thread that receives no signals, because StopSignals waits for
// them (server/stop_signals.h). Thread-safe.

#pragma once

#include <csignal>
#include <functional>
#include <thread>
#include <utility>

namespace signet {

inline std::thread StartBackgroundThread(std::function<void()> run) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread(std::move(run));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return thread;
}

}  // namespace signet
