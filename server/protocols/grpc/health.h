// Health: whether the server and its models are ready. Every protocol reports what Health returns.
// It updates the states of the health service of gRPC when the models change.
//
//   service                       SERVING while
//   ""                            the server is ready (CheckReady)
//   "signet.v1.TensorService"     the server accepts calls, even if no model is available
//   the name of a model           a version of the model is available
//
// Any other name is NOT_FOUND (Check) or SERVICE_UNKNOWN (Watch). After StopServing, nothing is
// ready. Thread-safe; the repository and the service must outlive it.

#pragma once

#include <atomic>
#include <mutex>
#include <span>

#include "core/serving/repository/repository.h"
#include "server/protocols/grpc/service_states.h"

namespace signet {

// Which models must be loaded for a server to be ready. Once it is ready, it stays ready while one
// version of one model is available, so that a new version that fails does no harm.
enum class ReadyPolicy : uint8_t {
  kAny,  // one version of one model
  kAll,  // every version of every model that a version policy selects
};

// Returns OK if a server with these models is ready, or else FAILED_PRECONDITION with the reason:
//   none of the 3 model versions could be loaded
Status CheckReady(std::span<const ModelStatus> models, ReadyPolicy policy);

class Health {
 public:
  // Updates the states of `service` whenever `repository` changes.
  Health(Repository& repository, ReadyPolicy policy, ServiceStates& service);
  ~Health();
  Health(const Health&) = delete;
  Health& operator=(const Health&) = delete;

  // Returns OK if the server is ready, or else FAILED_PRECONDITION or UNAVAILABLE with the reason.
  Status CheckServer();
  // Returns UNAVAILABLE after StopServing. A model is ready if this is OK and a version of it is
  // servable.
  Status CheckStopping() const;
  // Sets every service to NOT_SERVING permanently.
  void StopServing();

 private:
  // Updates the state of one model, and of the server.
  void UpdateModel(const std::string& model);
  // Updates the state of the server. Requires mu_.
  Status UpdateServer();

  Repository& repository_;
  const ReadyPolicy policy_;
  ServiceStates& service_;
  std::mutex mu_;           // orders updates, so that the last one has the newest state
  bool was_ready_ = false;  // at any time; guarded by mu_
  bool is_ready_ = false;   // guarded by mu_
  std::atomic<bool> is_stopping_{false};
};

}  // namespace signet
