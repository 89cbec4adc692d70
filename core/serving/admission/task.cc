#include "core/serving/admission/task.h"

#include <utility>

#include <absl/strings/cord.h>
#include <absl/strings/numbers.h>

#include "signet/cat.h"

namespace signet {
namespace {

constexpr char kRetryAfter[] = "signet/retry_after";  // milliseconds

}  // namespace

std::string_view NameOf(Priority priority) {
  switch (priority) {
    case Priority::kHigh:
      return "high";
    case Priority::kNormal:
      return "normal";
    case Priority::kLow:
      return "low";
  }
  return "normal";
}

StatusOr<Priority> ParsePriority(std::string_view text) {
  for (Priority priority : {Priority::kHigh, Priority::kNormal, Priority::kLow}) {
    if (text == NameOf(priority)) return priority;
  }
  return InvalidArgument("expected a priority, found `", Printable(text),
                         "`; priorities: high, normal, low");
}

Priority PriorityOf(const v1::Scheduling& scheduling) {
  switch (scheduling.priority()) {
    case v1::Scheduling::HIGH:
      return Priority::kHigh;
    case v1::Scheduling::LOW:
      return Priority::kLow;
    default:
      return Priority::kNormal;
  }
}

bool IsDefault(const v1::Scheduling& scheduling) {
  return PriorityOf(scheduling) == Priority::kNormal &&
         (scheduling.weight() == 0 || scheduling.weight() == 1) &&
         scheduling.max_concurrent_calls() == 0 && scheduling.max_queued_calls() == 0 &&
         scheduling.max_queued_bytes() == 0;
}

Status WithRetryAfter(std::chrono::milliseconds time, Status status) {
  if (!status.ok()) status.SetPayload(kRetryAfter, absl::Cord(std::to_string(time.count())));
  return status;
}

std::optional<std::chrono::milliseconds> RetryAfterOf(const Status& status) {
  auto payload = status.GetPayload(kRetryAfter);
  int64_t milliseconds = 0;
  if (!payload || !absl::SimpleAtoi(std::string(*payload), &milliseconds)) return std::nullopt;
  return std::chrono::milliseconds(milliseconds);
}

}  // namespace signet
