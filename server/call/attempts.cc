#include "server/call/attempts.h"

#include <utility>

namespace signet {

Status CheckQueue(const ServerContext& server) {
  auto limit = static_cast<size_t>(server.transport.queued_calls);
  size_t waiting = server.waiting_calls.load(std::memory_order_relaxed);
  if (server.pool.queued() + server.makers.queued() + waiting < limit) return absl::OkStatus();
  return WithReason(
      "QUEUE_FULL",
      ResourceExhausted("the queue is full: ", limit,
                        " calls wait for a thread (--max_queued_calls); try again later"));
}

Status Enqueue(ServerContext& server, std::function<void()> task) {
  SIGNET_RETURN_IF_ERROR(CheckQueue(server));
  server.stats.queued_calls.fetch_add(1, std::memory_order_relaxed);
  server.pool.Schedule(std::move(task));
  return absl::OkStatus();
}

void Schedule(ServerContext& server, ThreadKind thread, std::function<void()> task) {
  (thread == ThreadKind::kMaker ? server.makers : server.pool).Schedule(std::move(task));
}

}  // namespace signet
