// Health: grpc.health.v1, kept in step with the models.
//
// The service "" is the server: SERVING while it takes calls. A service of a model's name is
// SERVING while one of its versions is available; a name that is no model is NOT_FOUND (Check) or
// SERVICE_UNKNOWN (Watch). Thread-safe; the repository and the service must outlive it.

#pragma once

#include <grpcpp/health_check_service_interface.h>

#include "core/model/repository.h"

namespace signet {

class Health {
 public:
  // Follows `repository` from now on.
  Health(Repository& repository, grpc::HealthCheckServiceInterface& service);
  ~Health();
  Health(const Health&) = delete;
  Health& operator=(const Health&) = delete;

  // NOT_SERVING for everything, for good.
  void StopServing();

 private:
  void Update(const ModelStatus& status);

  Repository& repository_;
  grpc::HealthCheckServiceInterface& service_;
};

}  // namespace signet
