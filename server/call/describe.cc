#include "server/call/describe.h"

#include <exception>
#include <utility>

namespace signet {

Status ScheduleDescription(ServerContext& server, std::function<void()> describe) {
  const auto limit = static_cast<size_t>(server.transport.queued_calls);
  if (server.describers.queued() >= limit) {
    return WithReason("QUEUE_FULL", ResourceExhausted("the queue is full: ", limit,
                                                      " descriptions wait for a thread "
                                                      "(--max_queued_calls); try again later"));
  }
  server.describers.Schedule([describe = std::move(describe)] {
    try {
      describe();
    } catch (const std::exception&) {  // an exchange without a response responds with an error
    }
  });
  return absl::OkStatus();
}

}  // namespace signet
