#include "server/protocols/signet/list_models.h"

#include "server/protocols/signet/published_limits.h"

namespace signet {
namespace {

v1::VersionInfo::State StateToProto(VersionStatus::State state) {
  switch (state) {
    case VersionStatus::State::kLoading:
      return v1::VersionInfo::LOADING;
    case VersionStatus::State::kAvailable:
      return v1::VersionInfo::AVAILABLE;
    case VersionStatus::State::kUnloading:
      return v1::VersionInfo::UNLOADING;
    case VersionStatus::State::kFailed:
      return v1::VersionInfo::FAILED;
    case VersionStatus::State::kNotLoaded:
      return v1::VersionInfo::NOT_LOADED;
  }
  return v1::VersionInfo::STATE_UNSPECIFIED;
}

}  // namespace

v1::ModelInfo ModelInfoOf(const Repository& repository, const ModelStatus& status) {
  v1::ModelInfo out;
  out.set_name(status.name);
  for (const VersionStatus& version : status.versions) {
    auto* info = out.add_versions();
    info->set_version(version.version);
    info->set_state(StateToProto(version.state));
    info->set_reason(version.reason);
    info->set_progress(version.progress);
    info->set_memory_bytes(version.memory_bytes);
    info->set_on_demand(version.is_on_demand);
  }
  for (const auto& [label, version] : status.labels) (*out.mutable_labels())[label] = version;
  out.set_settings_error(status.settings_error);
  if (auto model = repository.Find(status.name); model.ok()) out.set_doc((*model)->def().doc);
  return out;
}

v1::ListModelsResponse ListModels(const ServerContext& server, const Access& access) {
  v1::ListModelsResponse response;
  for (const ModelStatus& status : server.repository.List()) {
    if (!access.Permits(Rpc::kListModels, status.name)) continue;
    *response.add_models() = ModelInfoOf(server.repository, status);
  }
  *response.mutable_limits() = PublishedLimits(server);
  return response;
}

}  // namespace signet
