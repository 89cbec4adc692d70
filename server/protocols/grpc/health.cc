#include "server/protocols/grpc/health.h"

#include <algorithm>
#include <vector>

namespace signet {
namespace {

// The services that answer calls of models.
constexpr const char* kCallServices[] = {
    "signet.v1.TensorService", "inference.GRPCInferenceService",
    "tensorflow.serving.PredictionService", "tensorflow.serving.ModelService"};

using State = VersionStatus::State;

bool IsAvailable(const VersionStatus& version) { return version.is_servable(); }

bool IsAvailable(const ModelStatus& model) {
  return std::any_of(model.versions.begin(), model.versions.end(),
                     [](const VersionStatus& version) { return IsAvailable(version); });
}

}  // namespace

Status CheckReady(std::span<const ModelStatus> models, ReadyPolicy policy) {
  size_t found = 0;
  std::vector<std::string> missing;
  for (const ModelStatus& model : models) {
    for (const VersionStatus& version : model.versions) {
      const bool is_wanted = version.state != State::kUnloading &&
                             (version.state != State::kNotLoaded || version.is_servable());
      if (!is_wanted) continue;
      ++found;
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

Health::Health(Repository& repository, ReadyPolicy policy, ServiceStates& service)
    : repository_(repository), policy_(policy), service_(service) {
  for (const char* name : kCallServices) service_.Set(name, true);
  service_.OnCheck([this](const std::string& checked) {
    if (checked.empty()) {
      CheckServer().IgnoreError();
    } else if (repository_.StatusOf(checked)) {
      UpdateModel(checked);
    }
  });
  repository_.OnChange([this](const std::string& model) { UpdateModel(model); });
  for (const ModelStatus& model : repository_.List()) service_.Set(model.name, IsAvailable(model));
  CheckServer().IgnoreError();
}

Health::~Health() {
  repository_.OnChange(nullptr);
  service_.OnCheck(nullptr);
}

Status Health::CheckServer() {
  SIGNET_RETURN_IF_ERROR(CheckStopping());
  std::lock_guard lock(mu_);
  return UpdateServer();
}

Status Health::CheckStopping() const {
  return is_stopping_ ? Unavailable("the server is stopping") : absl::OkStatus();
}

void Health::UpdateModel(const std::string& model) {
  std::lock_guard lock(mu_);
  auto status = repository_.StatusOf(model);
  const bool is_available = status && IsAvailable(*status);
  service_.Set(model, is_available);
  // A server that is ready stays ready while any model is available.
  if (!is_ready_ || !is_available) UpdateServer().IgnoreError();
}

Status Health::UpdateServer() {
  const Status ready = CheckReady(repository_.List(), was_ready_ ? ReadyPolicy::kAny : policy_);
  is_ready_ = ready.ok();
  was_ready_ = was_ready_ || is_ready_;
  service_.Set("", is_ready_);
  return ready;
}

void Health::StopServing() {
  is_stopping_ = true;
  service_.StopServing();
}

}  // namespace signet
