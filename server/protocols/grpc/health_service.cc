#include "server/protocols/grpc/health_service.h"

#include <utility>

namespace signet {

// Serves one Watch: sends the newest state, and skips states that change during a write.
class HealthService::Watcher final : public grpc::ServerWriteReactor<Response> {
 public:
  Watcher(HealthService& health, std::string service)
      : health_(health), service_(std::move(service)) {}

  const std::string& service() const { return service_; }

  void Send(Response::ServingStatus state) {
    std::lock_guard lock(mu_);
    newest_ = state;
    WriteNewest();
  }

 private:
  // Requires mu_, so that no write begins after Finish.
  void WriteNewest() {
    if (writing_ || finished_ || newest_ == sent_) return;
    writing_ = true;
    sent_ = newest_;
    response_.set_status(static_cast<Response::ServingStatus>(sent_));
    StartWrite(&response_);
  }

  void FinishOnce() {
    std::lock_guard lock(mu_);
    if (std::exchange(finished_, true)) return;
    Finish(grpc::Status(grpc::StatusCode::CANCELLED, "the watch has ended"));
  }

  void OnWriteDone(bool ok) override {
    if (!ok) return FinishOnce();
    std::lock_guard lock(mu_);
    writing_ = false;
    WriteNewest();
  }
  void OnCancel() override { FinishOnce(); }
  void OnDone() override {
    health_.Remove(this);
    delete this;
  }

  HealthService& health_;
  const std::string service_;
  std::mutex mu_;
  int newest_ = -1;        // guarded by mu_
  int sent_ = -1;          // guarded by mu_
  bool writing_ = false;   // guarded by mu_
  bool finished_ = false;  // guarded by mu_
  Response response_;      // the message that is being written
};

void HealthService::Set(const std::string& service, bool serving) {
  std::lock_guard lock(mu_);
  if (stopped_) return;
  serving_[service] = serving;
  auto found = watchers_.find(service);
  if (found == watchers_.end()) return;
  for (Watcher* watcher : found->second) watcher->Send(StateOf(service));
}

void HealthService::StopServing() {
  std::lock_guard lock(mu_);
  stopped_ = true;
  for (auto& [service, serving] : serving_) serving = false;
  for (auto& [service, watchers] : watchers_) {
    for (Watcher* watcher : watchers) watcher->Send(StateOf(service));
  }
}

HealthService::Response::ServingStatus HealthService::StateOf(const std::string& service) const {
  auto found = serving_.find(service);
  if (found == serving_.end()) return Response::SERVICE_UNKNOWN;
  return found->second ? Response::SERVING : Response::NOT_SERVING;
}

grpc::ServerUnaryReactor* HealthService::Check(grpc::CallbackServerContext* context,
                                               const Request* request, Response* response) {
  listener_.NoteCall(*context);
  auto* reactor = context->DefaultReactor();
  Response::ServingStatus state;
  {
    std::lock_guard lock(mu_);
    state = StateOf(request->service());
  }
  if (state == Response::SERVICE_UNKNOWN) {
    reactor->Finish(grpc::Status(grpc::StatusCode::NOT_FOUND, "unknown service"));
  } else {
    response->set_status(state);
    reactor->Finish(grpc::Status::OK);
  }
  return reactor;
}

grpc::ServerWriteReactor<HealthService::Response>* HealthService::Watch(
    grpc::CallbackServerContext* context, const Request* request) {
  listener_.NoteCall(*context);
  auto* watcher = new Watcher(*this, request->service());
  std::lock_guard lock(mu_);
  watchers_[watcher->service()].insert(watcher);
  watcher->Send(StateOf(watcher->service()));
  return watcher;
}

void HealthService::Remove(Watcher* watcher) {
  std::lock_guard lock(mu_);
  auto found = watchers_.find(watcher->service());
  found->second.erase(watcher);
  // Clients may watch any name, so names without watchers are removed.
  if (found->second.empty()) watchers_.erase(found);
}

}  // namespace signet
