#include "server/call/await_model.h"

#include <future>
#include <memory>
#include <utility>

#include "server/call/attempts.h"

namespace signet {

bool IsLoadedOnDemand(const Status& status) {
  return status.code() == absl::StatusCode::kUnavailable && ReasonOf(status) == "LOADED_ON_DEMAND";
}

void AwaitModel(ServerContext& server, const std::string& model, std::optional<int64_t> version,
                const std::string& label, std::function<void(Status)> done) {
  if (Status room = CheckQueue(server); !room.ok()) return done(std::move(room));
  server.stats.queued_calls.fetch_add(1, std::memory_order_relaxed);
  server.waiting_calls.fetch_add(1, std::memory_order_relaxed);
  server.repository.LoadOnDemand(model, version, label,
                                 [&server, done = std::move(done)](const Status& loaded) {
                                   server.waiting_calls.fetch_sub(1, std::memory_order_relaxed);
                                   server.makers.Schedule([done, loaded] { done(loaded); });
                                 });
}

StatusOr<CalledFunction> FindOrLoad(ServerContext& server, const CallRequest& request) {
  for (int loads = 0;; ++loads) {
    auto called = FindCalledFunction(server.repository, request);
    if (called.ok() || !IsLoadedOnDemand(called.status()) || loads == kMostLoadsPerCall) {
      return called;
    }
    auto loaded = std::make_shared<std::promise<Status>>();
    std::future<Status> outcome = loaded->get_future();
    server.repository.LoadOnDemand(
        request.model, request.version, request.label,
        [loaded](Status status) { loaded->set_value(std::move(status)); });
    SIGNET_RETURN_IF_ERROR(outcome.get());
  }
}

}  // namespace signet
