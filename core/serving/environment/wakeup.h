// Wakeup: calls one function at the earliest of the times for which it was asked.
//
//   Wakeup wakeup(timers, [this] { Expire(); });
//   wakeup.At(deadline);   // calls Expire at `deadline`, or earlier
//
// A call ends all requests: the function asks again for what is left. It never runs twice at the
// same time. Thread-safe; At may be called with any lock held, because it never waits. The
// destructor waits while the function runs, unless the function itself destroys this object.

#pragma once

#include <memory>

#include "core/serving/environment/timers.h"

namespace signet {

class Wakeup {
 public:
  Wakeup(Timers& timers, std::function<void()> callback);
  ~Wakeup();
  Wakeup(const Wakeup&) = delete;
  Wakeup& operator=(const Wakeup&) = delete;

  void At(Timers::Clock::time_point time);

 private:
  struct State;
  static void Arm(const std::shared_ptr<State>& state, Timers::Clock::time_point time);
  static void Fire(const std::shared_ptr<State>& state, Timers::Clock::time_point time);

  const std::shared_ptr<State> state_;
};

}  // namespace signet
