#include "server/protocols/signet/get_model.h"

#include "core/describe/model_message.h"
#include "server/protocols/signet/published_limits.h"

namespace signet {
namespace {

StatusOr<std::shared_ptr<const LoadedModel>> FindModel(const Repository& repository,
                                                       const v1::ModelSpec& spec) {
  std::optional<int64_t> version;
  if (spec.has_version()) version = spec.version();
  return repository.Find(spec.name(), version, spec.label());
}

}  // namespace

StatusOr<v1::GetModelResponse> GetModel(const ServerContext& server,
                                        const v1::GetModelRequest& request) {
  SIGNET_ASSIGN_OR_RETURN(auto model, FindModel(server.repository, request.model()));
  v1::GetModelResponse response = ModelToMessage(*model);
  if (auto status = server.repository.StatusOf(model->name())) {
    for (const VersionStatus& version : status->versions) {
      if (version.is_servable()) response.add_versions(version.version);
    }
    for (const auto& [label, version] : status->labels)
      (*response.mutable_labels())[label] = version;
    *response.mutable_settings() = status->settings->settings;
    for (const auto& [setting, origin] : status->settings->origins) {
      (*response.mutable_setting_origins())[setting] = origin;
    }
    response.set_settings_error(status->settings_error);
  }
  *response.mutable_limits() = PublishedLimits(server);
  return response;
}

}  // namespace signet
