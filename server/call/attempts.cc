#include "server/call/attempts.h"

#include <utility>

namespace signet {
namespace {

// Returns the number of calls that wait, but not in the scheduler.
size_t WaitingElsewhere(const ServerContext& server) {
  return server.makers.queued() + server.waiting_calls.load(std::memory_order_relaxed);
}

}  // namespace

Status CheckQueue(const ServerContext& server) {
  auto limit = static_cast<size_t>(server.transport.queued_calls);
  if (server.scheduler.queued() + WaitingElsewhere(server) < limit) return absl::OkStatus();
  return WithReason(
      "QUEUE_FULL",
      ResourceExhausted("the queue is full: ", limit,
                        " calls wait for a thread (--max_queued_calls); try again later"));
}

Status Enqueue(ServerContext& server, Task& task) {
  // A call that continues has been counted.
  if (!task.continues) server.stats.queued_calls.fetch_add(1, std::memory_order_relaxed);
  Status accepted = server.scheduler.Submit(task, WaitingElsewhere(server));
  if (!accepted.ok() && !task.continues) {
    server.stats.queued_calls.fetch_sub(1, std::memory_order_relaxed);
  }
  return accepted;
}

Task TaskOf(const CallContext& context, const RunControl& control) {
  return {.model = std::string(context.model),
          .priority = context.priority,
          .bytes = context.bytes,
          .deadline = control.deadline,
          .cancelled = control.cancelled};
}

}  // namespace signet
