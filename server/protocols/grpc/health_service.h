// HealthService: implements grpc.health.v1.Health from a table of names and states. Thread-safe.

#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "grpc/health/v1/health.grpc.pb.h"
#include "server/protocols/grpc/service_states.h"
#include "server/security/access_control.h"
#include "server/transport/listener.h"

namespace signet {

class HealthService final : public grpc::health::v1::Health::CallbackService, public ServiceStates {
 public:
  HealthService(Listener& listener, const AccessControl& access)
      : listener_(listener), access_(access) {}

  void OnCheck(std::function<void(const std::string& service)> update) override {
    std::lock_guard lock(mu_);
    update_ = std::move(update);
  }
  void Set(const std::string& service, bool serving) override;  // sends it to its watchers
  void StopServing() override;

 private:
  using Request = grpc::health::v1::HealthCheckRequest;
  using Response = grpc::health::v1::HealthCheckResponse;
  class Watcher;

  grpc::ServerUnaryReactor* Check(grpc::CallbackServerContext* context, const Request* request,
                                  Response* response) override;
  grpc::ServerWriteReactor<Response>* Watch(grpc::CallbackServerContext* context,
                                            const Request* request) override;

  Response::ServingStatus StateOf(const std::string& service) const;  // requires mu_
  void Remove(Watcher* watcher);

  // Checks that the caller may read the state of `service`.
  grpc::Status Authorize(const grpc::CallbackServerContext& context,
                         const std::string& service) const;

  Listener& listener_;
  const AccessControl& access_;
  mutable std::mutex mu_;
  std::function<void(const std::string&)> update_;      // guarded by mu_
  std::map<std::string, bool> serving_;                 // by service; guarded by mu_
  std::map<std::string, std::set<Watcher*>> watchers_;  // by service; guarded by mu_
  bool stopped_ = false;                                // guarded by mu_
};

}  // namespace signet
