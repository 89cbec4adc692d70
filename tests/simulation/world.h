// World: the time, the files, and the order of tasks of a simulation. One seed decides all of it.
// For one thread.

#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "tests/simulation/simulated_files.h"
#include "tests/support/manual_timers.h"

namespace signet {

class World {
 public:
  using Clock = Timers::Clock;

  explicit World(uint64_t seed) : random_(seed) {}

  ManualTimers& timers() { return timers_; }
  SimulatedFiles& files() { return files_; }
  const SimulatedFiles& files() const { return files_; }
  // Returns a number from 0 to `end` - 1.
  int Below(int end) { return static_cast<int>(random_() % static_cast<uint64_t>(end)); }
  // Starts a new sequence of numbers.
  void Seed(uint64_t seed) { random_.seed(seed); }

  // Adds a task, which runs later, in any order with the others.
  void Post(std::function<void()> task) { tasks_.push_back(std::move(task)); }
  // Runs a task after a random time, of at most `most`.
  void PostAfter(std::chrono::milliseconds most, std::function<void()> task);

  // Runs one task, if there is one. Returns false otherwise.
  bool RunOne();
  // Lets time pass, and runs everything that is due, with `check` after each task. A task may call
  // this function, too: it then occupies its thread for this time.
  void PassFor(std::chrono::milliseconds time, const std::function<void()>& check);
  // Returns true if tasks went on without an end while no time passed.
  bool is_stuck() const { return is_stuck_; }
  // Forgets all tasks and timers: the process was killed.
  void Kill();

 private:
  ManualTimers timers_;
  SimulatedFiles files_{timers_};
  std::mt19937_64 random_;
  std::vector<std::function<void()>> tasks_;
  uint64_t next_timer_ = 0;
  bool is_stuck_ = false;
  std::map<uint64_t, std::shared_ptr<void>> own_timers_;
};

}  // namespace signet
