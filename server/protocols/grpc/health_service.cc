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

  // Ends the watch with an error.
  void Reject(const grpc::Status& why) {
    std::lock_guard lock(mu_);
    finished_ = true;
    Finish(why);
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

grpc::Status HealthService::Authorize(const grpc::CallbackServerContext& context,
                                      const std::string& service) const {
  if (!access_.is_enabled()) return grpc::Status::OK;
  auto check = [&]() -> Status {
    SIGNET_ASSIGN_OR_RETURN(Access access, access_.Authenticate(context));
    const bool is_server = service.empty() || service == "signet.v1.TensorService";
    return is_server ? access.Check(Rpc::kHealth) : access.Check(Rpc::kHealth, service);
  };
  const Status status = check();
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), std::string(MessageOf(status)));
}

grpc::ServerUnaryReactor* HealthService::Check(grpc::CallbackServerContext* context,
                                               const Request* request, Response* response) {
  listener_.NoteCall(*context);
  auto* reactor = context->DefaultReactor();
  if (grpc::Status permitted = Authorize(*context, request->service()); !permitted.ok()) {
    reactor->Finish(permitted);
    return reactor;
  }
  std::function<void(const std::string&)> update;
  {
    std::lock_guard lock(mu_);
    update = update_;
  }
  if (update) update(request->service());
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
  grpc::Status permitted = Authorize(*context, request->service());
  std::lock_guard lock(mu_);
  watchers_[watcher->service()].insert(watcher);
  if (!permitted.ok()) {
    watcher->Reject(permitted);
    return watcher;
  }
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
