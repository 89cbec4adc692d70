// TextSegments: visits segments and UTF-8 characters of text, and checks whether the call must end.

#pragma once

#include <algorithm>

#include "core/kernels/loops/write_strings.h"
#include "core/kernels/text/characters.h"

namespace signet {

// Calls visit(segment) for parts of `text`, in order, until it returns false or the call must end.
template <class Visit>
void ForTextSegments(StopPoll& poll, std::string_view text, int64_t nanoseconds, Visit visit) {
  constexpr auto kSegment = static_cast<size_t>(kStopSegment);
  for (size_t at = 0; at < text.size(); at += kSegment) {
    std::string_view segment = text.substr(at, kSegment);
    if (poll.Stops(static_cast<int64_t>(segment.size()) * nanoseconds) || !visit(segment)) return;
  }
}

inline int64_t NumCharacters(StopPoll& poll, std::string_view text) {
  int64_t count = 0;
  ForTextSegments(poll, text, 1, [&](std::string_view segment) {
    count += static_cast<int64_t>(segment.size()) -
             std::count_if(segment.begin(), segment.end(), IsContinuation);
    return true;
  });
  return count;
}

}  // namespace signet
