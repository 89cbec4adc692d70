#include "server/call/await_model.h"

#include <atomic>
#include <future>
#include <memory>
#include <utility>

#include "server/call/attempts.h"

namespace signet {

bool IsLoadedOnDemand(const Status& status) {
  return status.code() == absl::StatusCode::kUnavailable && ReasonOf(status) == "LOADED_ON_DEMAND";
}

namespace {

// A call that waits for its model. Whatever ends the wait first is the outcome.
class ModelWait {
 public:
  explicit ModelWait(std::function<void(Status)> done) : done_(std::move(done)) {}
  void End(const Status& outcome) {
    if (!has_ended_.exchange(true)) done_(outcome);
  }
  std::shared_ptr<void> expiry;  // calls End at the deadline

 private:
  const std::function<void(Status)> done_;
  std::atomic<bool> has_ended_ = false;
};

}  // namespace

void AwaitModel(ServerContext& server, const std::string& model, std::optional<int64_t> version,
                const std::string& label,
                std::optional<std::chrono::steady_clock::time_point> deadline,
                std::function<void(Status)> done) {
  if (Status room = CheckQueue(server); !room.ok()) return done(std::move(room));
  server.stats.queued_calls.fetch_add(1, std::memory_order_relaxed);
  server.waiting_calls.fetch_add(1, std::memory_order_relaxed);
  auto wait = std::make_shared<ModelWait>(std::move(done));
  if (deadline) {
    wait->expiry = server.timers.CallAt(*deadline, [weak = std::weak_ptr(wait)] {
      auto waiting = weak.lock();
      if (waiting == nullptr) return;
      waiting->End(DeadlineExceeded("the deadline of the call passed while its model was loaded"));
    });
  }
  server.repository.LoadOnDemand(model, version, label,
                                 [&server, wait = std::move(wait)](const Status& loaded) {
                                   server.waiting_calls.fetch_sub(1, std::memory_order_relaxed);
                                   server.makers.Schedule([wait, loaded] { wait->End(loaded); });
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
