// Batcher: joins the calls of one function that are in flight at the same time.
//
//   1. A call that finds no batch of its function running starts at once, alone (TryStart).
//   2. Calls that arrive while a batch runs wait. When the batch ends, the calls that wait and can
//      be joined form the next batch, in order of priority and arrival, up to the limits.
//   3. Another batch starts at once on another thread if a full batch waits, if the calls that wait
//      cannot be joined with the batch that starts, or if a call has waited for max_delay. There
//      are at most as many batches at a time as compute threads.
//   4. If a batch fails, its calls run one by one, so that each gets its own result or error.
//   5. A waiting call whose deadline passes, or which is cancelled, ends without running.
//
// Calls that run for less time than a batch saves do not wait: they run alone, several at a time.
// For a second, all calls of a function do so if its calls could not be joined, because their other
// arguments differ, or if batches took longer than single calls on the same number of threads.
// Thread-safe. The batcher does not own the function, whose calls own their model.

#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "core/serving/batching/joined_function.h"
#include "core/serving/environment/wakeup.h"

namespace signet {

using BatchClock = Timers::Clock;

struct BatchLimits {
  bool enabled = true;
  int64_t max_rows = 1024;                    // of a batch
  int64_t max_bytes = int64_t{64} << 20;      // of the arguments of a batch
  std::chrono::microseconds max_delay{2000};  // until another batch starts, if there is a thread

  bool operator==(const BatchLimits&) const = default;
};

// What the batchers of a server share.
struct BatchThreads {
  // Runs a task on a compute thread.
  std::function<void(std::function<void()> task)> schedule;
  int num_threads = 1;  // the largest number of batches of one function at the same time
  Timers* timers = &SystemTimers();
  // Called after each batch of at least two calls that has succeeded; may be null.
  std::function<void(std::string_view model, int64_t version, std::string_view function,
                     size_t calls, size_t rows)>
      record = nullptr;
};

// Counts since the start. `joined_calls / batches` is the mean size of a batch.
struct BatchCounts {
  uint64_t single_calls = 0;    // ran alone
  uint64_t batches = 0;         // of at least two calls, that succeeded
  uint64_t joined_calls = 0;    // in these batches
  uint64_t joined_rows = 0;     // in these batches
  uint64_t failed_batches = 0;  // whose calls ran one by one
  uint64_t expired_calls = 0;   // ended while they waited
};

// A call that waits for a batch. The batcher changes it until it calls `resume`.
struct WaitingCall {
  PreparedCall call;
  std::shared_ptr<const JoinedFunction> joined;
  int64_t rows = 0;
  int64_t bytes = 0;   // of the arguments
  int priority = 0;    // calls of a higher priority are taken first
  RunControl control;  // without a deferral
  BatchClock::time_point arrival;
  std::function<void()> resume;
  std::optional<StatusOr<Value>> result;  // set before `resume` is called
};

class Batcher : public std::enable_shared_from_this<Batcher> {
 public:
  // `has_rows` states for each parameter whether it contains rows. `types` may be null.
  Batcher(const PolymorphicFunction& function, std::vector<bool> has_rows,
          const ExtensionTypes* types, BatchLimits limits, const BatchThreads& threads,
          std::string model = "", int64_t version = 0);

  // The right to run one call now. While it exists, other calls wait.
  class Turn {
   public:
    Turn() = default;
    Turn(Turn&& other) noexcept;
    Turn& operator=(Turn&& other) noexcept;  // this object must be empty
    ~Turn();
    explicit operator bool() const { return batcher_ != nullptr; }

   private:
    friend class Batcher;
    Turn(std::shared_ptr<Batcher> batcher, bool is_exclusive)
        : batcher_(std::move(batcher)),
          is_exclusive_(is_exclusive),
          begin_(batcher_->timers_.Now()) {}
    std::shared_ptr<Batcher> batcher_;
    bool is_exclusive_ = false;
    BatchClock::time_point begin_;
  };
  // Returns nothing if the call should wait for a batch.
  Turn TryStart();
  // Returns false for some time after joining calls has not saved time.
  bool JoinsNow() const;

  // Makes a waiting call of `call`, which is moved. Returns null, and leaves `call`, if the call
  // cannot be joined with others. The deferral of `control` may stop it; the result then has no
  // meaning.
  std::shared_ptr<WaitingCall> MakeWaiting(PreparedCall& call, const RunControl& control);
  // Adds a call of MakeWaiting to the queue. `resume` is called once, on a compute thread, or on
  // the thread of the timers if the call ends without running.
  void Add(std::shared_ptr<WaitingCall> waiting, std::function<void()> resume);

  BatchCounts counts() const;

 private:
  using Calls = std::vector<std::shared_ptr<WaitingCall>>;
  struct Known {
    std::weak_ptr<const ConcreteFunction> single;
    std::shared_ptr<const JoinedFunction> joined;  // null: cannot be joined
  };

  std::shared_ptr<const JoinedFunction> FindJoined(const PreparedCall& call,
                                                   const RunControl& control);
  void StopJoining();  // for some time; requires mu_
  void NoteSingleRun(BatchClock::duration time);
  void NoteBatch(BatchClock::duration time, size_t calls);  // requires mu_
  void EndTurn(bool is_exclusive, BatchClock::duration time);
  void ScheduleBatch();
  void RunBatch();
  bool RunJoined(const Calls& calls);
  Calls TakeBatch();  // requires mu_
  // Removes the calls that are no longer wanted and sets their results; requires mu_.
  Calls TakeUnwanted(BatchClock::time_point now);
  // Ends waiting calls that are no longer wanted, and starts a batch if a call has waited too long.
  void Tick();
  // Returns the time at which Tick must look at `call`; requires mu_.
  BatchClock::time_point TickOf(const WaitingCall& call, BatchClock::time_point now) const;
  bool MayStartAnother() const { return active_ < threads_.num_threads; }

  const PolymorphicFunction& function_;
  const std::vector<bool> has_rows_;
  const ExtensionTypes* types_;
  const BatchLimits limits_;
  const BatchThreads& threads_;
  Timers& timers_;
  const std::string model_;  // its name
  const int64_t version_;
  std::atomic<int64_t> run_ns_{0};  // smoothed time of a single run; 0: not known
  std::atomic<uint64_t> single_calls_{0};
  std::atomic<BatchClock::rep> single_until_{0};  // calls are not joined until then

  mutable std::mutex mu_;
  std::deque<std::shared_ptr<WaitingCall>> waiting_;  // guarded by mu_
  int64_t waiting_rows_ = 0;                          // guarded by mu_
  int active_ = 0;  // turns and batches that run or are scheduled; guarded by mu_
  absl::flat_hash_map<const ConcreteFunction*, Known> known_;  // guarded by mu_
  int misses_ = 0;             // batches in turn with one call among several; guarded by mu_
  int num_timed_batches_ = 0;  // since calls are joined; guarded by mu_
  int64_t batch_ns_ = 0;       // smoothed time of a batch per call, of all threads; guarded by mu_
  BatchCounts counts_;         // except single_calls; guarded by mu_
  Wakeup wakeup_;              // calls Tick; last, because it uses the members above
};

}  // namespace signet
