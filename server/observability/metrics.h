// Metrics: counts and times the calls of a server, per model and function.
//
//   CallSeries& series = metrics.SeriesOf("recipes", "score");
//   metrics.Record(series, {.code = absl::StatusCode::kOk, .times = &times, .request_bytes = 310});
//   series.Sum().calls[0];   // 1
//
// Recording is a few relaxed additions to counters of the current thread's shard, which other
// threads rarely touch; it neither locks nor allocates after the first call of a function. Reading
// adds up the shards, so it may miss calls that end at the same time.
//
// The number of series is bounded: after `max_series` functions, further functions share the series
// `other`. Calls whose function was not found share the series `unknown`, so that names from
// clients never become labels. Series are never removed. Thread-safe.

#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "core/serving/call/stage_times.h"
#include "signet/status.h"

namespace signet {

inline constexpr size_t kNumCodes = 17;  // of gRPC

// Buckets of times. Bucket i counts times of at most 2^(kFirst + i * kStep) nanoseconds; the last
// bucket counts all others.
template <int kFirst, int kStep, size_t kCount>
struct TimeBuckets {
  static constexpr size_t kBounds = kCount;
  static constexpr size_t kBuckets = kCount + 1;
  // Returns the upper bound of bucket `i` in seconds.
  static constexpr double BoundOf(size_t i) {
    return static_cast<double>(uint64_t{1} << (kFirst + static_cast<int>(i) * kStep)) / 1e9;
  }
  static constexpr size_t IndexOf(int64_t nanoseconds) {
    if (nanoseconds <= int64_t{1} << kFirst) return 0;
    const auto log = static_cast<int>(std::bit_width(static_cast<uint64_t>(nanoseconds - 1)));
    const auto index = static_cast<size_t>((log - kFirst + kStep - 1) / kStep);  // rounded up
    return index < kCount ? index : kCount;
  }
};
// Whole calls: 4.1 us to 34 s, in steps of 2. Stages: 1.0 us to 17 s, in steps of 4.
using CallBuckets = TimeBuckets<12, 1, 24>;
using StageBuckets = TimeBuckets<10, 2, 13>;

// Sizes of batches, in rows: 1 to 4096 in steps of 2, and more.
inline constexpr size_t kBatchBounds = 13;

// The counters of one function. `Number` is an integer, or an atomic integer in a shard.
template <class Number>
struct CallCounters {
  template <size_t kSize>
  struct Histogram {
    std::array<Number, kSize> buckets = {};
    Number sum = {};  // nanoseconds, or rows
  };

  std::array<Number, kNumCodes> calls = {};  // that ended, by code
  Histogram<CallBuckets::kBuckets> duration = {};
  std::array<Histogram<StageBuckets::kBuckets>, kNumStages> stages = {};
  Histogram<kBatchBounds + 1> batch_rows = {};
  Number batch_calls = {};  // calls in all batches
  Number request_bytes = {};
  Number response_bytes = {};
  // Calls that ended after their deadline or cancellation, and the nanoseconds of work on them.
  Number wasted_calls = {};
  Number wasted_time = {};
};

// The counters of the calls of one version of a model. Times are in nanoseconds.
template <class Number>
struct VersionCounters {
  Number version = {};
  Number successes = {};
  Number success_time = {};
  Number failures = {};
  Number failure_time = {};
  std::array<Number, kNumStages> stages = {};  // of calls that succeeded
  Number batches = {};                         // of at least two calls
  Number batch_calls = {};                     // calls in all batches
  Number last_call = {};                       // milliseconds since the epoch
};

class CallSeries {
 public:
  CallSeries(std::string model, std::string function)
      : model_(std::move(model)), function_(std::move(function)) {}
  ~CallSeries();
  CallSeries(const CallSeries&) = delete;
  CallSeries& operator=(const CallSeries&) = delete;

  const std::string& model() const { return model_; }
  const std::string& function() const { return function_; }
  // Returns the sum of all shards.
  CallCounters<uint64_t> Sum() const;

  // Returns the counters of a version. A version that is `kVersions` higher or lower may have
  // replaced them.
  VersionCounters<uint64_t> SumOf(int64_t version) const;

  // Records that `calls` calls with `rows` rows ran as one batch.
  void RecordBatch(int64_t version, size_t calls, size_t rows);

 private:
  friend class Metrics;
  static constexpr size_t kShards = 8;
  static constexpr uint64_t kVersions = 4;
  using Version = VersionCounters<std::atomic<uint64_t>>;
  struct Shard {
    CallCounters<std::atomic<uint64_t>> counters;
    std::array<Version, kVersions> versions;  // by number, modulo kVersions
  };

  // Returns the counters of a version, which replaces another one in the same place.
  static Version& VersionOf(Shard& shard, int64_t version);

  Shard& ThisShard();

  const std::string model_;
  const std::string function_;
  std::array<std::atomic<Shard*>, kShards> shards_ = {};  // owned; made at their first use
};

// A call that has ended.
struct EndedCall {
  absl::StatusCode code = absl::StatusCode::kOk;
  const StageTimes* times = nullptr;
  size_t request_bytes = 0;
  size_t response_bytes = 0;
  bool is_wasted = false;  // no client waited for the response any more
  int64_t version = 0;     // of the model; 0: not known
};

class Metrics {
 public:
  explicit Metrics(size_t max_series);
  ~Metrics();

  // Returns the series of a function that exists. The result lives as long as this object.
  CallSeries& SeriesOf(std::string_view model, std::string_view function);
  // Returns the series of calls whose function was not found.
  CallSeries& unknown() { return unknown_; }

  void Record(CallSeries& series, const EndedCall& call);
  // Counts an error that was sent to a client. After 64 reasons, further reasons are `other`.
  void CountError(absl::StatusCode code, std::string_view reason);

  // Returns all series that exist, in the order in which they were made, `unknown` first, and
  // `other` last.
  std::vector<const CallSeries*> AllSeries() const;

  struct ErrorCount {
    absl::StatusCode code;
    std::string reason;
    uint64_t count = 0;
  };
  std::vector<ErrorCount> Errors() const;

 private:
  const size_t max_series_;
  CallSeries unknown_{"unknown", "unknown"};
  CallSeries other_{"other", "other"};
  // An open hash table with twice as many places as series. A place is set once.
  const size_t mask_;
  const std::unique_ptr<std::atomic<CallSeries*>[]> table_;
  std::atomic<bool> is_full_{false};  // no series can be added
  mutable std::mutex mu_;             // held to add a series
  std::deque<CallSeries> series_;     // guarded by mu_; elements do not move
  mutable std::mutex errors_mu_;
  std::vector<ErrorCount> errors_;  // guarded by errors_mu_
};

}  // namespace signet
