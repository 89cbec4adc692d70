// StageTimes: the time that one call has spent in each of its stages.
//
//   StageTimes times;                // the call begins
//   ...                              // parse the request
//   times.End(Stage::kDecode);
//   times.Wait();                    // wait for a thread
//   ...
//   times.Resume();
//
// Each End assigns the time since the previous End, or since the call began, to one stage, so that
// the stages add up to the time of the call. A stage that a call enters again, such as kQueue,
// accumulates. Each function reads the clock once at most and allocates nothing. Not thread-safe,
// but a call may move from one thread to another.

#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

namespace signet {

enum class Stage : uint8_t {
  kDecode,    // parsing the message, and decoding arguments in a data format
  kBind,      // finding the function, and assigning the arguments to its parameters
  kDispatch,  // casting the arguments, and selecting or making the concrete function
  kQueue,     // waiting for admission, a thread, or a function that another call makes
  kBatch,     // waiting for a batch, joining the calls, running the batch, and splitting the result
  kRun,       // running the plan
  kEncode,    // writing the response
};
inline constexpr size_t kNumStages = 7;
inline constexpr const char* kStageNames[kNumStages] = {"decode", "bind", "dispatch", "queue",
                                                        "batch",  "run",  "encode"};

class StageTimes {
 public:
  using Clock = std::chrono::steady_clock;

  StageTimes() = default;

  // Ends the current interval and assigns it to `stage`.
  void End(Stage stage) {
    const Clock::time_point now = Clock::now();
    Interval& interval = stages_[static_cast<size_t>(stage)];
    if (interval.total.count() == 0) interval.begin = last_;
    interval.total += now - last_;
    interval.end = now;
    last_ = now;
  }

  // States that the call waits from the end of the last stage, until Resume.
  void Wait(Stage stage = Stage::kQueue) { waits_ = stage; }
  // Ends a wait. Does nothing if the call does not wait.
  void Resume() {
    if (waits_) End(*std::exchange(waits_, std::nullopt));
  }

  // A stage of a call. A stage that the call did not enter has a total of zero.
  struct Interval {
    std::chrono::nanoseconds total{};  // without the time of other stages in between
    Clock::time_point begin;           // of the first part of the stage
    Clock::time_point end;             // of its last part
  };
  const Interval& operator[](Stage stage) const { return stages_[static_cast<size_t>(stage)]; }

  // When the call began, and when the last stage ended.
  Clock::time_point begin() const { return begin_; }
  Clock::time_point last() const { return last_; }
  // Returns the time from the beginning of the call to the end of the last stage.
  std::chrono::nanoseconds total() const { return last_ - begin_; }
  // Returns the time in which the server worked on the call, which excludes kQueue and kBatch.
  std::chrono::nanoseconds work() const {
    return total() - (*this)[Stage::kQueue].total - (*this)[Stage::kBatch].total;
  }

 private:
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_ = begin_;
  std::optional<Stage> waits_;
  std::array<Interval, kNumStages> stages_ = {};
};

// Ends a stage of a call whose times are measured; `times` may be null.
inline void EndStage(StageTimes* times, Stage stage) {
  if (times != nullptr) times->End(stage);
}

}  // namespace signet
