// Timers: the time, and functions that are called at a time.
//
//   std::shared_ptr<void> timer = timers.CallAt(deadline, [weak] { ... });
//   timer.reset();   // the function is no longer needed
//
// Everything in core/serving that depends on time takes it from here, so that a simulation can pass
// a time of its own (docs/internals/simulation.md). SystemTimers is the real one. Thread-safe.

#pragma once

#include <chrono>
#include <functional>
#include <memory>

namespace signet {

class Timers {
 public:
  using Clock = std::chrono::steady_clock;

  virtual ~Timers() = default;

  virtual Clock::time_point Now() const = 0;
  // Returns the time of the system, in which the times of files are stated.
  virtual std::chrono::system_clock::time_point WallTime() const = 0;
  // Calls `callback` at `time`, unless the returned object is destroyed before. The function may
  // still run while the object is destroyed. It must be short. This object must outlive the
  // returned one.
  [[nodiscard]] virtual std::shared_ptr<void> CallAt(Clock::time_point time,
                                                     std::function<void()> callback) = 0;
};

// Returns the timers of the process, whose callbacks run on one thread. They exist until the
// process ends.
Timers& SystemTimers();

}  // namespace signet
