#include "server/health.h"

#include <algorithm>

namespace signet {

Health::Health(Repository& repository, grpc::HealthCheckServiceInterface& service)
    : repository_(repository), service_(service) {
  repository_.OnChange([this](const std::string& model) {
    for (const ModelStatus& status : repository_.List()) {
      if (status.name == model) Update(status);
    }
  });
  for (const ModelStatus& status : repository_.List()) Update(status);
}

Health::~Health() { repository_.OnChange(nullptr); }

void Health::Update(const ModelStatus& status) {
  bool available =
      std::any_of(status.versions.begin(), status.versions.end(), [](const VersionStatus& version) {
        return version.state == VersionStatus::State::kAvailable;
      });
  service_.SetServingStatus(status.name, available);
}

void Health::StopServing() { service_.Shutdown(); }

}  // namespace signet
