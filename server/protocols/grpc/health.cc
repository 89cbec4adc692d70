#include "server/protocols/grpc/health.h"

#include <algorithm>
#include <vector>

namespace signet {
namespace {

constexpr char kCallService[] = "signet.v1.TensorService";

bool IsAvailable(const VersionStatus& version) {
  return version.state == VersionStatus::State::kAvailable;
}

bool IsAvailable(const ModelStatus& model) {
  return std::any_of(model.versions.begin(), model.versions.end(),
                     [](const VersionStatus& version) { return IsAvailable(version); });
}

}  // namespace

Status CheckReady(std::span<const ModelStatus> models, ReadyPolicy policy) {
  size_t found = 0;
  std::vector<std::string> missing;
  for (const ModelStatus& model : models) {
    found += model.versions.size();
    for (const VersionStatus& version : model.versions) {
      if (!IsAvailable(version)) missing.push_back(Cat(model.name, "/", version.version));
    }
  }
  if (found == 0) return FailedPrecondition("expected at least one model, found none");
  if (missing.size() == found) {
    return FailedPrecondition("none of the ", found, " model versions could be loaded");
  }
  if (policy == ReadyPolicy::kAny || missing.empty()) return absl::OkStatus();
  size_t count = missing.size();
  return FailedPrecondition(count, " of the ", found,
                            " model versions could not be loaded: ", ListNames(std::move(missing)),
                            " (--ready=all)");
}

Health::Health(Repository& repository, ReadyPolicy policy, HealthService& service)
    : repository_(repository), policy_(policy), service_(service) {
  service_.Set(kCallService, true);
  repository_.OnChange([this](const std::string& model) { Update(model); });
  Update("");
}

Health::~Health() { repository_.OnChange(nullptr); }

void Health::Update(const std::string& model) {
  std::lock_guard lock(mu_);
  std::vector<ModelStatus> models = repository_.List();
  for (const ModelStatus& status : models) {
    if (model.empty() || status.name == model) {
      service_.Set(status.name, IsAvailable(status));
    }
  }
  service_.Set("", CheckReady(models, policy_).ok());
}

void Health::StopServing() { service_.StopServing(); }

}  // namespace signet
