#include "server/observability/metrics.h"

#include <algorithm>
#include <chrono>

#include "core/base/hash.h"

namespace signet {
namespace {

constexpr size_t kMaxReasons = 64;

void Add(std::atomic<uint64_t>& counter, uint64_t more) {
  counter.fetch_add(more, std::memory_order_relaxed);
}
void Add(std::atomic<uint64_t>& counter, std::chrono::nanoseconds more) {
  Add(counter, static_cast<uint64_t>(std::max<int64_t>(0, more.count())));
}

template <class Buckets, class Histogram>
void AddTime(Histogram& histogram, std::chrono::nanoseconds time) {
  Add(histogram.buckets[Buckets::IndexOf(time.count())], 1);
  Add(histogram.sum, time);
}

// Adds the counters of a shard to `sum`. Both have the same members in the same order.
void AddShard(const CallCounters<std::atomic<uint64_t>>& shard, CallCounters<uint64_t>& sum) {
  constexpr size_t kCounters = sizeof(sum) / sizeof(uint64_t);
  static_assert(sizeof(shard) == sizeof(sum));
  const auto* from = reinterpret_cast<const std::atomic<uint64_t>*>(&shard);
  auto* to = reinterpret_cast<uint64_t*>(&sum);
  for (size_t i = 0; i < kCounters; ++i) to[i] += from[i].load(std::memory_order_relaxed);
}

void RecordVersion(VersionCounters<std::atomic<uint64_t>>& counters, const EndedCall& call) {
  const StageTimes& times = *call.times;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto milliseconds = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  counters.last_call.store(static_cast<uint64_t>(milliseconds), std::memory_order_relaxed);
  if (call.code != absl::StatusCode::kOk) {
    Add(counters.failures, 1);
    Add(counters.failure_time, times.total());
    return;
  }
  Add(counters.successes, 1);
  Add(counters.success_time, times.total());
  for (size_t i = 0; i < kNumStages; ++i) {
    const auto time = times[static_cast<Stage>(i)].total;
    if (time.count() > 0) Add(counters.stages[i], time);
  }
}

uint64_t HashOf(std::string_view model, std::string_view function) {
  return MixHash(HashBytes(model), HashBytes(function));
}

}  // namespace

CallSeries::~CallSeries() {
  for (auto& shard : shards_) delete shard.load();
}

CallSeries::Shard& CallSeries::ThisShard() {
  static std::atomic<size_t> next{0};
  thread_local const size_t index = next.fetch_add(1, std::memory_order_relaxed) % kShards;
  std::atomic<Shard*>& place = shards_[index];
  Shard* shard = place.load(std::memory_order_acquire);
  if (shard != nullptr) return *shard;
  auto made = std::make_unique<Shard>();
  if (place.compare_exchange_strong(shard, made.get())) return *made.release();
  return *shard;
}

CallSeries::Version& CallSeries::VersionOf(Shard& shard, int64_t version) {
  const auto number = static_cast<uint64_t>(version);
  Version& out = shard.versions[number % kVersions];
  if (out.version.load(std::memory_order_relaxed) == number) return out;
  // Another thread that does the same at the same time may lose its first call.
  for (std::atomic<uint64_t>& stage : out.stages) stage.store(0, std::memory_order_relaxed);
  for (auto* counter : {&out.successes, &out.success_time, &out.failures, &out.failure_time,
                        &out.batches, &out.batch_calls, &out.last_call}) {
    counter->store(0, std::memory_order_relaxed);
  }
  out.version.store(number, std::memory_order_relaxed);
  return out;
}

VersionCounters<uint64_t> CallSeries::SumOf(int64_t version) const {
  const auto number = static_cast<uint64_t>(version);
  VersionCounters<uint64_t> sum{.version = number};
  for (const auto& place : shards_) {
    const Shard* shard = place.load(std::memory_order_acquire);
    if (shard == nullptr) continue;
    const Version& from = shard->versions[number % kVersions];
    auto value = [](const std::atomic<uint64_t>& counter) {
      return counter.load(std::memory_order_relaxed);
    };
    if (value(from.version) != number) continue;
    sum.successes += value(from.successes);
    sum.success_time += value(from.success_time);
    sum.failures += value(from.failures);
    sum.failure_time += value(from.failure_time);
    for (size_t i = 0; i < kNumStages; ++i) sum.stages[i] += value(from.stages[i]);
    sum.batches += value(from.batches);
    sum.batch_calls += value(from.batch_calls);
    sum.last_call = std::max(sum.last_call, value(from.last_call));
  }
  return sum;
}

CallCounters<uint64_t> CallSeries::Sum() const {
  CallCounters<uint64_t> sum;
  for (const auto& place : shards_) {
    if (const Shard* shard = place.load(std::memory_order_acquire)) AddShard(shard->counters, sum);
  }
  return sum;
}

void CallSeries::RecordBatch(int64_t version, size_t calls, size_t rows) {
  Shard& whole = ThisShard();
  if (version > 0) {
    Version& counters = VersionOf(whole, version);
    Add(counters.batches, 1);
    Add(counters.batch_calls, calls);
  }
  auto& shard = whole.counters;
  const auto log = static_cast<size_t>(std::bit_width(std::max<size_t>(rows, 1) - 1));
  Add(shard.batch_rows.buckets[std::min(log, kBatchBounds)], 1);
  Add(shard.batch_rows.sum, rows);
  Add(shard.batch_calls, calls);
}

Metrics::Metrics(size_t max_series)
    : max_series_(max_series),
      mask_(std::bit_ceil(2 * std::max<size_t>(max_series, 1)) - 1),
      table_(std::make_unique<std::atomic<CallSeries*>[]>(mask_ + 1)) {}

Metrics::~Metrics() = default;

CallSeries& Metrics::SeriesOf(std::string_view model, std::string_view function) {
  const uint64_t hash = HashOf(model, function);
  // Returns the place of the series, or the empty place where it belongs.
  auto find = [&]() -> std::atomic<CallSeries*>& {
    for (size_t i = hash & mask_;; i = (i + 1) & mask_) {
      CallSeries* found = table_[i].load(std::memory_order_acquire);
      if (found == nullptr || (found->model() == model && found->function() == function)) {
        return table_[i];
      }
    }
  };
  CallSeries* found = find().load(std::memory_order_acquire);
  if (found != nullptr) return *found;
  if (is_full_.load(std::memory_order_relaxed)) return other_;
  std::lock_guard lock(mu_);
  std::atomic<CallSeries*>& place = find();  // another thread may have added it
  found = place.load(std::memory_order_acquire);
  if (found != nullptr) return *found;
  if (series_.size() >= max_series_) {
    is_full_.store(true, std::memory_order_relaxed);
    return other_;
  }
  CallSeries& made = series_.emplace_back(std::string(model), std::string(function));
  place.store(&made, std::memory_order_release);
  return made;
}

void Metrics::Record(CallSeries& series, const EndedCall& call) {
  CallSeries::Shard& whole = series.ThisShard();
  if (call.version > 0) RecordVersion(CallSeries::VersionOf(whole, call.version), call);
  auto& shard = whole.counters;
  const auto code = static_cast<size_t>(call.code);
  Add(shard.calls[code < kNumCodes ? code : 2], 1);  // 2: UNKNOWN
  if (call.request_bytes > 0) Add(shard.request_bytes, call.request_bytes);
  if (call.response_bytes > 0) Add(shard.response_bytes, call.response_bytes);
  const StageTimes& times = *call.times;
  AddTime<CallBuckets>(shard.duration, times.total());
  for (size_t i = 0; i < kNumStages; ++i) {
    const auto time = times[static_cast<Stage>(i)].total;
    if (time.count() > 0) AddTime<StageBuckets>(shard.stages[i], time);
  }
  if (call.is_wasted) {
    Add(shard.wasted_calls, 1);
    Add(shard.wasted_time, times.work());
  }
}

void Metrics::CountError(absl::StatusCode code, std::string_view reason) {
  std::lock_guard lock(errors_mu_);
  auto find = [&](std::string_view wanted) {
    return std::find_if(errors_.begin(), errors_.end(), [&](const ErrorCount& error) {
      return error.code == code && error.reason == wanted;
    });
  };
  auto found = find(reason);
  if (found == errors_.end() && errors_.size() >= kMaxReasons) {
    reason = "other";
    found = find(reason);
  }
  if (found == errors_.end()) {
    errors_.push_back({code, std::string(reason)});
    found = errors_.end() - 1;
  }
  ++found->count;
}

std::vector<const CallSeries*> Metrics::AllSeries() const {
  std::vector<const CallSeries*> out = {&unknown_};
  std::lock_guard lock(mu_);
  for (const CallSeries& series : series_) out.push_back(&series);
  out.push_back(&other_);
  return out;
}

std::vector<Metrics::ErrorCount> Metrics::Errors() const {
  std::lock_guard lock(errors_mu_);
  return errors_;
}

}  // namespace signet
