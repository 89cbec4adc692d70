#include "core/serving/environment/wakeup.h"

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

namespace signet {

using Clock = Timers::Clock;

struct Wakeup::State {
  static constexpr Clock::rep kNever = Clock::time_point::max().time_since_epoch().count();

  Timers& timers;
  const std::function<void()> callback;
  // The time of the next call, since the epoch of the clock. It changes only with the lock.
  std::atomic<Clock::rep> next = kNever;
  std::mutex mu;
  std::shared_ptr<void> timer;  // guarded by mu
  bool is_running = false;      // guarded by mu
  bool is_closed = false;       // guarded by mu
  std::thread::id thread;       // that runs the callback; guarded by mu
  std::condition_variable ended;

  State(Timers& timers_of_calls, std::function<void()> function)
      : timers(timers_of_calls), callback(std::move(function)) {}
};

Wakeup::Wakeup(Timers& timers, std::function<void()> callback)
    : state_(std::make_shared<State>(timers, std::move(callback))) {}

Wakeup::~Wakeup() {
  std::shared_ptr<void> timer;
  std::unique_lock lock(state_->mu);
  state_->is_closed = true;
  timer = std::move(state_->timer);
  if (state_->thread == std::this_thread::get_id()) return;
  while (state_->is_running) state_->ended.wait(lock);
}

void Wakeup::At(Clock::time_point time) {
  if (state_->next.load(std::memory_order_acquire) <= time.time_since_epoch().count()) return;
  Arm(state_, time);
}

void Wakeup::Arm(const std::shared_ptr<State>& state, Clock::time_point time) {
  std::shared_ptr<void> before;  // destroyed without the lock
  std::lock_guard lock(state->mu);
  if (state->is_closed || state->next.load() <= time.time_since_epoch().count()) return;
  state->next.store(time.time_since_epoch().count());
  if (state->is_running) return;  // set when it ends
  before = std::move(state->timer);
  state->timer = state->timers.CallAt(time, [weak = std::weak_ptr(state), time] {
    if (const auto fired = weak.lock()) Fire(fired, time);
  });
}

void Wakeup::Fire(const std::shared_ptr<State>& state, Clock::time_point time) {
  {
    std::lock_guard lock(state->mu);
    // A timer that was replaced may still call.
    const bool is_due = state->next.load() == time.time_since_epoch().count();
    if (state->is_closed || state->is_running || !is_due) return;
    state->next.store(State::kNever);
    state->is_running = true;
    state->thread = std::this_thread::get_id();
  }
  state->callback();
  Clock::rep next = State::kNever;
  {
    std::lock_guard lock(state->mu);
    state->is_running = false;
    state->thread = {};
    next = state->next.exchange(State::kNever);
    state->ended.notify_all();
  }
  if (next != State::kNever) Arm(state, Clock::time_point(Clock::duration(next)));
}

}  // namespace signet
