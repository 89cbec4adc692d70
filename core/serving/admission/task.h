// Task: work of a call that waits for a compute thread, or is rejected.

#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "signet/status.h"
#include "signet/v1/settings.pb.h"

namespace signet {

// The priority of a call. Higher priorities are first.
enum class Priority : uint8_t { kHigh, kNormal, kLow };
inline constexpr size_t kNumPriorities = 3;

// Returns `high`, `normal`, or `low`.
std::string_view NameOf(Priority priority);
// Returns the priority with the name `text`. INVALID_ARGUMENT lists the names.
StatusOr<Priority> ParsePriority(std::string_view text);
// Returns the highest priority of calls of a model with these settings.
Priority PriorityOf(const v1::Scheduling& scheduling);

// Returns true if calls of a model with these settings are scheduled as if it had no settings.
bool IsDefault(const v1::Scheduling& scheduling);

struct Task {
  std::string model = {};  // empty if it is not known yet
  Priority priority = Priority::kNormal;
  size_t bytes = 0;  // of the request, which is kept while the task waits
  std::optional<std::chrono::steady_clock::time_point> deadline = {};
  // Identifies the tasks of a call or stream. Null if they cannot be cancelled.
  const std::atomic<bool>* cancelled = nullptr;
  // The call has run before and continues, so that no limit of the queue applies to it.
  bool continues = false;
  // Exactly one of the two functions is called, once, unless the task was not accepted.
  std::function<void()> run = nullptr;
  std::function<void(Status)> reject = nullptr;
};

// Adds the time after which a client may try again to an error. The time is not part of the text.
Status WithRetryAfter(std::chrono::milliseconds time, Status status);
// Returns the time of WithRetryAfter, or nothing.
std::optional<std::chrono::milliseconds> RetryAfterOf(const Status& status);

}  // namespace signet
