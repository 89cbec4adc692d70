// StopSignals: takes SIGTERM, SIGINT and SIGHUP as a request to stop, on a thread of its own.
//
// Before serving there is nothing to finish: the first signal ends the process with 0. While
// serving, the first signal makes WaitFor return. A second signal ends the process at once with 128
// + its number, if it comes at least `pause` after the first one. Earlier ones are ignored, because
// supervisors and terminals may send several signals to stop a process once: SIGTERM and SIGINT, or
// one signal to the process and to its group. Made once, on the main thread, before any other
// thread starts.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>

namespace signet {

class StopSignals {
 public:
  explicit StopSignals(std::chrono::milliseconds pause = std::chrono::seconds(1));

  void BeginServing() { serving_ = true; }
  // Blocks until the first signal, or for `time`; whether there was a signal.
  bool WaitFor(std::chrono::milliseconds time);

 private:
  void Listen();

  const std::chrono::milliseconds pause_;
  std::atomic<bool> serving_ = false;
  std::mutex mu_;
  std::condition_variable stopped_;
  bool stop_ = false;  // guarded by mu_
};

}  // namespace signet
