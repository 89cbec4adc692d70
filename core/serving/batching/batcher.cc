#include "core/serving/batching/batcher.h"

#include <algorithm>
#include <exception>
#include <new>
#include <numeric>
#include <utility>

namespace signet {
namespace {

// A run that takes less time is not worth the change of threads.
constexpr int64_t kCheapRunNanoseconds = 20'000;
// If this number of batches in turn found only one call, although others waited, calls are not
// joined for kSinglePeriod. The same holds if this number of batches took longer than single calls.
constexpr int kMisses = 16;
constexpr int kMinBatches = 8;
constexpr std::chrono::seconds kSinglePeriod(1);
constexpr size_t kMaxKnown = 1024;  // concrete functions of single calls
// The time after which the queue is searched for cancelled calls.
constexpr std::chrono::milliseconds kCancellationInterval(10);

// Converts an exception to an error.
template <class Run>
auto Guarded(Run run) -> decltype(run()) {
  try {
    return run();
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("out of memory for the values of this call");
  } catch (const std::exception&) {
    return Internal("a step of the call stopped unexpectedly");
  }
}

void RunAlone(WaitingCall& waiting) {
  Status wanted = waiting.control.Check();
  if (!wanted.ok()) {
    waiting.result = std::move(wanted);
    return;
  }
  waiting.result = Guarded([&] { return waiting.call.Run(waiting.control); });
}

// Returns a control that stops the batch when no call needs it any more.
template <class Calls>
RunControl ControlOf(const Calls& calls) {
  RunControl control{.parallel = calls[0]->control.parallel};
  control.deadline = calls[0]->control.deadline;
  for (const auto& call : calls) {
    if (!control.deadline) break;
    if (!call->control.deadline) {
      control.deadline.reset();
    } else {
      control.deadline = std::max(*control.deadline, *call->control.deadline);
    }
  }
  return control;
}

}  // namespace

Batcher::Batcher(const PolymorphicFunction& function, std::vector<bool> has_rows,
                 const ExtensionTypes* types, BatchLimits limits, const BatchThreads& threads,
                 std::string model, int64_t version)
    : function_(function),
      has_rows_(std::move(has_rows)),
      types_(types),
      limits_(limits),
      threads_(threads),
      timers_(*threads.timers),
      model_(std::move(model)),
      version_(version),
      wakeup_(timers_, [this] {
        // The last owner may drop the batcher meanwhile.
        if (const auto self = weak_from_this().lock()) self->Tick();
      }) {}

// --- turns --------------------------------------------------------------------------------------

Batcher::Turn::Turn(Turn&& other) noexcept
    : batcher_(std::move(other.batcher_)),
      is_exclusive_(other.is_exclusive_),
      begin_(other.begin_) {}

Batcher::Turn& Batcher::Turn::operator=(Turn&& other) noexcept {
  SIGNET_CHECK(batcher_ == nullptr);
  batcher_ = std::move(other.batcher_);
  is_exclusive_ = other.is_exclusive_;
  begin_ = other.begin_;
  return *this;
}

Batcher::Turn::~Turn() {
  if (batcher_ != nullptr) batcher_->EndTurn(is_exclusive_, batcher_->timers_.Now() - begin_);
}

Batcher::Turn Batcher::TryStart() {
  const int64_t run_ns = run_ns_.load(std::memory_order_relaxed);
  const bool is_cheap = run_ns > 0 && run_ns < kCheapRunNanoseconds;
  if (is_cheap || !JoinsNow()) {
    return Turn(shared_from_this(), /*is_exclusive=*/false);
  }
  std::lock_guard lock(mu_);
  if (active_ > 0) return Turn();
  active_ = 1;
  return Turn(shared_from_this(), /*is_exclusive=*/true);
}

bool Batcher::JoinsNow() const {
  const BatchClock::rep until = single_until_.load(std::memory_order_relaxed);
  return until == 0 || timers_.Now().time_since_epoch().count() >= until;
}

void Batcher::StopJoining() {
  misses_ = 0;
  batch_ns_ = 0;
  num_timed_batches_ = 0;
  single_until_ = (timers_.Now() + kSinglePeriod).time_since_epoch().count();
}

void Batcher::NoteSingleRun(BatchClock::duration time) {
  const int64_t sample =
      std::max<int64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(time).count(), 1);
  const int64_t before = run_ns_.load(std::memory_order_relaxed);
  // A thread that lost its processor during a run makes the run seem long.
  const int64_t bounded = before == 0 ? sample : std::min(sample, 4 * before);
  run_ns_.store(before + (bounded - before) / (before == 0 ? 1 : 8), std::memory_order_relaxed);
}

void Batcher::NoteBatch(BatchClock::duration time, size_t calls) {
  // The other threads could have run single calls, or run other batches.
  const int64_t per_call =
      time.count() * threads_.num_threads / std::max(active_, 1) / static_cast<int64_t>(calls);
  batch_ns_ = num_timed_batches_ == 0 ? per_call : batch_ns_ + (per_call - batch_ns_) / 4;
  const int64_t run_ns = run_ns_.load(std::memory_order_relaxed);
  if (++num_timed_batches_ >= kMinBatches && run_ns > 0 && batch_ns_ > run_ns) StopJoining();
}

void Batcher::EndTurn(bool is_exclusive, BatchClock::duration time) {
  NoteSingleRun(time);
  single_calls_.fetch_add(1, std::memory_order_relaxed);
  if (!is_exclusive) return;
  bool is_next = false;
  {
    std::lock_guard lock(mu_);
    is_next = !waiting_.empty();
    if (!is_next) --active_;
  }
  if (is_next) ScheduleBatch();
}

// --- waiting calls ------------------------------------------------------------------------------

std::shared_ptr<const JoinedFunction> Batcher::FindJoined(const PreparedCall& call,
                                                          const RunControl& control) {
  const ConcreteFunction* single = call.function.get();
  auto is_same = [&](const Known& known) {
    return !known.single.owner_before(call.function) && !call.function.owner_before(known.single);
  };
  {
    std::lock_guard lock(mu_);
    auto found = known_.find(single);
    if (found != known_.end() && is_same(found->second)) {
      const auto& joined = found->second.joined;
      if (joined == nullptr || joined->is_alive()) return joined;
    }
  }
  auto joined = JoinedFunction::Find(function_, has_rows_, *single, types_, control);
  if (control.is_stopped()) {
    // An error of the joined function is not an error of the call.
    control.deferral->shares_error = false;
    return nullptr;
  }
  // These errors concern this call only.
  const bool is_own_error = absl::IsDeadlineExceeded(joined.status()) ||
                            absl::IsCancelled(joined.status()) ||
                            absl::IsResourceExhausted(joined.status());
  if (is_own_error) return nullptr;
  std::lock_guard lock(mu_);
  if (known_.size() >= kMaxKnown) known_.clear();
  Known& known = known_[single];
  known.single = call.function;
  known.joined = joined.ok() ? *std::move(joined) : nullptr;
  return known.joined;
}

std::shared_ptr<WaitingCall> Batcher::MakeWaiting(PreparedCall& call, const RunControl& control) {
  auto joined = FindJoined(call, control);
  if (joined == nullptr) return nullptr;
  auto rows = joined->CountRows(call);
  const auto bytes = static_cast<int64_t>(ArgumentBytesOf(call));
  if (!rows || *rows > limits_.max_rows || bytes > limits_.max_bytes) return nullptr;
  auto waiting = std::make_shared<WaitingCall>();
  waiting->call = std::move(call);
  waiting->joined = std::move(joined);
  waiting->rows = *rows;
  waiting->bytes = bytes;
  waiting->control = {control.deadline, control.cancelled, control.parallel};
  return waiting;
}

void Batcher::Add(std::shared_ptr<WaitingCall> waiting, std::function<void()> resume) {
  waiting->resume = std::move(resume);
  const BatchClock::time_point now = timers_.Now();
  waiting->arrival = now;
  bool is_start = false;
  BatchClock::time_point tick;
  {
    std::lock_guard lock(mu_);
    waiting_rows_ += waiting->rows;
    const WaitingCall& added = *waiting;
    auto place = waiting_.end();
    while (place != waiting_.begin() && (*std::prev(place))->priority < waiting->priority) --place;
    waiting_.insert(place, std::move(waiting));
    is_start = active_ == 0 || (waiting_rows_ >= limits_.max_rows && MayStartAnother());
    if (is_start) ++active_;
    tick = TickOf(added, now);
  }
  wakeup_.At(tick);
  if (is_start) ScheduleBatch();
}

BatchClock::time_point Batcher::TickOf(const WaitingCall& call, BatchClock::time_point now) const {
  BatchClock::time_point next = now + kCancellationInterval;
  if (call.control.deadline) next = std::min(next, *call.control.deadline);
  if (MayStartAnother() && now < call.arrival + limits_.max_delay) {
    next = std::min(next, call.arrival + limits_.max_delay);
  }
  return next;
}

Batcher::Calls Batcher::TakeUnwanted(BatchClock::time_point now) {
  Calls unwanted;
  auto is_unwanted = [&](const std::shared_ptr<WaitingCall>& call) {
    const RunControl& control = call->control;
    if (control.cancelled != nullptr && control.cancelled->load(std::memory_order_relaxed)) {
      call->result = Cancelled("the call was cancelled");
    } else if (control.deadline && now >= *control.deadline) {
      call->result = DeadlineExceeded("the call's deadline passed while it waited for a batch");
    } else {
      return false;
    }
    waiting_rows_ -= call->rows;
    unwanted.push_back(call);
    return true;
  };
  waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), is_unwanted), waiting_.end());
  counts_.expired_calls += unwanted.size();
  return unwanted;
}

void Batcher::Tick() {
  const BatchClock::time_point now = timers_.Now();
  Calls unwanted;
  bool is_start = false;
  auto next = BatchClock::time_point::max();
  {
    std::lock_guard lock(mu_);
    unwanted = TakeUnwanted(now);
    const bool is_late = std::any_of(waiting_.begin(), waiting_.end(), [&](const auto& call) {
      return now - call->arrival >= limits_.max_delay;
    });
    is_start = is_late && MayStartAnother();
    if (is_start) ++active_;
    for (const auto& call : waiting_) next = std::min(next, TickOf(*call, now));
  }
  if (next != BatchClock::time_point::max()) wakeup_.At(next);
  if (is_start) ScheduleBatch();
  for (const auto& call : unwanted) call->resume();
}

// --- batches ------------------------------------------------------------------------------------

void Batcher::ScheduleBatch() {
  threads_.schedule([self = shared_from_this()] { self->RunBatch(); });
}

Batcher::Calls Batcher::TakeBatch() {
  Calls batch;
  std::deque<std::shared_ptr<WaitingCall>> rest;
  int64_t rows = 0;
  int64_t bytes = 0;
  for (auto& call : waiting_) {
    const bool fits =
        batch.empty() ||
        (rows + call->rows <= limits_.max_rows && bytes + call->bytes <= limits_.max_bytes &&
         JoinedFunction::CanJoin(*batch[0]->joined, batch[0]->call, *call->joined, call->call));
    if (!fits) {
      rest.push_back(std::move(call));
      continue;
    }
    rows += call->rows;
    bytes += call->bytes;
    batch.push_back(std::move(call));
  }
  waiting_ = std::move(rest);
  waiting_rows_ -= rows;
  return batch;
}

bool Batcher::RunJoined(const Calls& calls) {
  std::vector<const PreparedCall*> prepared;
  std::vector<int64_t> rows;
  for (const auto& call : calls) {
    prepared.push_back(&call->call);
    rows.push_back(call->rows);
  }
  const RunControl control = ControlOf(calls);
  auto results = Guarded([&] { return calls[0]->joined->Run(prepared, rows, control); });
  const auto sum = static_cast<uint64_t>(std::accumulate(rows.begin(), rows.end(), int64_t{0}));
  {
    std::lock_guard lock(mu_);
    if (!results.ok()) {
      ++counts_.failed_batches;
      return false;
    }
    ++counts_.batches;
    counts_.joined_calls += calls.size();
    counts_.joined_rows += sum;
  }
  for (size_t i = 0; i < calls.size(); ++i) calls[i]->result = std::move((*results)[i]);
  if (threads_.record) {
    threads_.record(model_, version_, function_.def().name, calls.size(), sum);
  }
  return true;
}

void Batcher::RunBatch() {
  Calls unwanted;
  Calls calls;
  bool is_another = false;
  {
    std::lock_guard lock(mu_);
    unwanted = TakeUnwanted(timers_.Now());
    calls = TakeBatch();
    // The calls that are left have other arguments or do not fit, so waiting does not help them.
    is_another = !waiting_.empty() && MayStartAnother();
    if (is_another) ++active_;
    if (calls.size() > 1) {
      misses_ = 0;
    } else if (!waiting_.empty() && ++misses_ >= kMisses) {
      StopJoining();
    }
  }
  if (is_another) ScheduleBatch();
  for (const auto& call : unwanted) call->resume();
  const BatchClock::time_point begin = timers_.Now();
  if (calls.size() < 2 || !RunJoined(calls)) {
    for (const auto& call : calls) RunAlone(*call);
  }
  const BatchClock::duration time = timers_.Now() - begin;
  if (calls.size() == 1) NoteSingleRun(time);
  if (calls.size() == 1) single_calls_.fetch_add(1, std::memory_order_relaxed);
  for (const auto& call : calls) call->resume();
  bool is_next = false;
  {
    std::lock_guard lock(mu_);
    if (calls.size() > 1) NoteBatch(time, calls.size());
    is_next = !waiting_.empty();
    if (!is_next) --active_;
  }
  if (is_next) ScheduleBatch();
}

BatchCounts Batcher::counts() const {
  std::lock_guard lock(mu_);
  BatchCounts counts = counts_;
  counts.single_calls = single_calls_.load(std::memory_order_relaxed);
  return counts;
}

}  // namespace signet
