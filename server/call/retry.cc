#include "server/call/retry.h"

#include "server/security/errors.h"

namespace signet {

bool MayHaveRoomLater(const Status& status) {
  if (!absl::IsResourceExhausted(status)) return false;
  const std::string reason = ReasonOf(status);
  return reason == "QUEUE_FULL" || reason == "OVERLOADED" || reason == "RESPONSES_UNREAD" ||
         reason == kRateLimited || reason == kCallsLimited;
}

}  // namespace signet
