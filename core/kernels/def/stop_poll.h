// StopPoll: lets a loop of a kernel check from time to time whether its call must end.
//
//   StopPoll poll(context);
//   for (const Node& node : nodes) {
//     SIGNET_RETURN_IF_ERROR(poll.Spend(20));  // about 20 ns for each node
//     ...
//   }
//
// Costs one subtraction, and a clock read once per stop_interval() of the context. Not thread-safe:
// each thread has its own.

#pragma once

#include <algorithm>
#include <cstring>

#include "core/kernels/def/kernel.h"
#include "core/kernels/simd/vector/stop_hook.h"

namespace signet {

class StopPoll {
 public:
  explicit StopPoll(KernelContext& context) : context_(&context), left_(context.stop_interval()) {}

  // Counts about `nanoseconds` of work. Returns true if the call must end; later calls then return
  // true, too.
  bool Stops(int64_t nanoseconds) {
    left_ -= nanoseconds;
    if (left_ >= 0) [[likely]]
      return false;
    const bool stops = IsStopped(*context_);
    left_ = stops ? -1 : context_->stop_interval();
    return stops;
  }
  // Does the same, and returns the error with which the call ends.
  Status Spend(int64_t nanoseconds) {
    return Stops(nanoseconds) ? context_->CheckStop() : absl::OkStatus();
  }
  KernelContext& context() const { return *context_; }
  // Returns a hook that uses this poll, which must outlive it.
  StopHook hook() {
    return {[](void* poll, int64_t nanoseconds) {
              return static_cast<StopPoll*>(poll)->Stops(nanoseconds);
            },
            this};
  }

 private:
  // Static, so that loops can keep `left_` in a register.
  static bool IsStopped(KernelContext& context) {
    return context.stopped() || !context.CheckStop().ok();
  }

  KernelContext* context_;
  int64_t left_;
};

// Number of steps of a plain loop between two calls of a StopPoll.
inline constexpr int64_t kStopSegment = 4096;

// Calls body(begin, end) for the segments of [0, count), in order. A unit takes `nanoseconds`.
// Returns false if the call must end.
template <class Body>
bool ForSegments(StopPoll& poll, int64_t count, int64_t nanoseconds, Body body) {
  for (int64_t begin = 0; begin < count; begin += kStopSegment) {
    const int64_t end = std::min(count, begin + kStopSegment);
    if (poll.Stops((end - begin) * nanoseconds)) return false;
    body(begin, end);
  }
  return true;
}

// Copies `bytes` bytes, piece by piece. Returns false if the call must end. The poll is a copy, so
// that the caller's poll stays in registers.
inline bool CopyLong(StopPoll poll, std::byte* to, const std::byte* from, size_t bytes) {
  constexpr size_t kPiece = size_t{1} << 20;
  while (bytes > 0) {
    const size_t piece = std::min(bytes, kPiece);
    if (poll.Stops(static_cast<int64_t>(piece / 4))) return false;
    std::memcpy(to, from, piece);
    to += piece;
    from += piece;
    bytes -= piece;
  }
  return true;
}

// Copies `bytes` bytes. Returns false if the call must end.
inline bool CopyBytes(StopPoll& poll, std::byte* to, const std::byte* from, size_t bytes) {
  constexpr size_t kShort = size_t{1} << 16;
  if (poll.Stops(static_cast<int64_t>(bytes / 4))) return false;
  if (bytes > kShort) [[unlikely]]
    return CopyLong(poll, to, from, bytes);
  if (bytes > 0) std::memcpy(to, from, bytes);
  return true;
}
inline Status CopyBytes(KernelContext& context, std::byte* to, const std::byte* from,
                        size_t bytes) {
  StopPoll poll(context);
  return CopyBytes(poll, to, from, bytes) ? absl::OkStatus() : context.CheckStop();
}

// Sets the `count` elements that begin at `to` to `value`.
template <class T>
Status FillElements(KernelContext& context, T* to, int64_t count, const T& value) {
  return context.ForInOrder(
      count, static_cast<double>(sizeof(T)) / 4,
      [&](int64_t begin, int64_t end) { std::fill(to + begin, to + end, value); });
}

}  // namespace signet
