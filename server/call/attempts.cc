#include "server/call/attempts.h"

#include <utility>

namespace signet {

Status CheckQueue(const Serving& serving) {
  auto limit = static_cast<size_t>(serving.transport.queued_calls);
  size_t waiting = serving.waiting_calls.load(std::memory_order_relaxed);
  if (serving.pool.queued() + serving.makers.queued() + waiting < limit) return absl::OkStatus();
  return WithReason("QUEUE_FULL",
                    ResourceExhausted(limit, " calls wait for a thread, which is the limit ",
                                      "(--max_queued_calls)"));
}

Status Enqueue(Serving& serving, std::function<void()> task) {
  SIGNET_RETURN_IF_ERROR(CheckQueue(serving));
  serving.stats.queued_calls.fetch_add(1, std::memory_order_relaxed);
  serving.pool.Schedule(std::move(task));
  return absl::OkStatus();
}

void Schedule(Serving& serving, ThreadKind thread, std::function<void()> task) {
  (thread == ThreadKind::kMaker ? serving.makers : serving.pool).Schedule(std::move(task));
}

}  // namespace signet
