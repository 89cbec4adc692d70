// StopSignals: waits for signals on its own thread: for SIGTERM and SIGINT, which stop the process,
// for SIGHUP, which makes the server read its files again, and for signals that have an action.
//
// 1. Before BeginServing, the first signal ends the process with exit code 0.
// 2. After BeginServing, the first signal makes WaitFor return true.
// 3. A second signal ends the process at once with exit code 128 + its number, if it comes at least
//    `pause` after the first one. Earlier signals are ignored, because supervisors and terminals
//    may send several signals to stop a process once: SIGTERM and SIGINT, or one signal to the
//    process and to its group.
// 4. A signal of OnSignal runs its action and does not stop the process.
// 5. SIGHUP ends the wait of WaitFor, and TakeHangup reports it. A server that stops ignores it.
//
// Construct one object, on the main thread, before any other thread starts.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>

namespace signet {

class StopSignals {
 public:
  explicit StopSignals(std::chrono::milliseconds pause = std::chrono::seconds(1));

  void BeginServing() { serving_ = true; }
  // From now on, `signal` runs `action` on the thread of this object. Only SIGUSR1 can have an
  // action; until it has one, it is ignored.
  void OnSignal(int signal, std::function<void()> action);
  // Blocks until the first signal that stops the server, until SIGHUP, or for `time`. Returns true
  // if there was a signal that stops the server.
  bool WaitFor(std::chrono::milliseconds time);
  // Returns true if SIGHUP came since the last call.
  bool TakeHangup();

 private:
  void Listen();
  // Waits until a signal that stops the process arrives, and runs the actions of other signals.
  int WaitForStop();

  const std::chrono::milliseconds pause_;
  std::atomic<bool> serving_ = false;
  std::mutex mu_;
  std::condition_variable stopped_;
  bool stop_ = false;                             // guarded by mu_
  bool has_hung_up_ = false;                      // guarded by mu_
  std::map<int, std::function<void()>> actions_;  // by signal; guarded by mu_
};

}  // namespace signet
