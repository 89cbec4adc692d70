// StopHook: lets arithmetic over long arrays check whether its call must end.
//
// The arithmetic does not depend on kernels; StopPoll::hook() connects the two. A loop over at most
// kHookSegment elements has no checks, so that short arrays have no overhead.

#pragma once

#include <algorithm>
#include <cstdint>

namespace signet {

struct StopHook {
  // Counts about `nanoseconds` of work. Returns true if the call must end; later calls then return
  // true, too.
  bool (*stops)(void* state, int64_t nanoseconds) = nullptr;
  void* state = nullptr;

  bool Stops(int64_t nanoseconds) const { return stops(state, nanoseconds); }
};

// Elements of a loop between two checks.
inline constexpr int64_t kHookSegment = int64_t{1} << 15;

// Calls body(begin, end) for the segments of [0, count), in order; an element takes about a
// nanosecond. Checks between segments, and returns false if the call must end.
template <class Body>
inline bool ForHookSegments(const StopHook& hook, int64_t count, Body body) {
  for (int64_t begin = 0; begin < count; begin += kHookSegment) {
    const int64_t end = std::min(count, begin + kHookSegment);
    if (begin > 0 && hook.Stops(end - begin)) [[unlikely]]
      return false;
    body(begin, end);
  }
  return true;
}

// Calls body(begin, end) for pieces of [0, rows), in order, where a row is `width` elements, each
// of about a nanosecond. Checks between pieces, and returns false if the call must end.
template <class Body>
inline bool ForHookRows(const StopHook& hook, int64_t rows, int64_t width, Body body) {
  const int64_t at_once = std::max<int64_t>(1, kHookSegment / std::max<int64_t>(width, 1));
  for (int64_t begin = 0; begin < rows; begin += at_once) {
    const int64_t end = std::min(rows, begin + at_once);
    if (begin > 0 && hook.Stops((end - begin) * width)) [[unlikely]]
      return false;
    body(begin, end);
  }
  return true;
}

}  // namespace signet
