#include "server/protocols/signet/get_model.h"

#include <utility>

#include "core/describe/model_message.h"
#include "server/call/attempts.h"
#include "server/protocols/signet/published_limits.h"

namespace signet {
namespace {

StatusOr<std::shared_ptr<const LoadedModel>> FindModel(const Repository& repository,
                                                       const v1::ModelSpec& spec) {
  std::optional<int64_t> version;
  if (spec.has_version()) version = spec.version();
  return repository.Find(spec.name(), version, spec.label());
}

// Returns the part of the response that only a server knows.
v1::GetModelResponse StateOf(const ServerContext& server, const std::string& model) {
  v1::GetModelResponse response;
  if (auto status = server.repository.StatusOf(model)) {
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

Buffer BufferOfText(std::string text) {
  auto owner = std::make_shared<const std::string>(std::move(text));
  return Buffer::Borrow(std::as_bytes(std::span(*owner)), owner);
}

}  // namespace

void GetModel(ServerContext& server, const v1::GetModelRequest& request,
              std::function<void(StatusOr<wire::Pieces>)> done) {
  auto found = FindModel(server.repository, request.model());
  if (!found.ok()) return done(found.status());
  const std::shared_ptr<const LoadedModel> model = *std::move(found);
  auto write = [&model] {
    SerializedModel written = SerializeModel(*model);
    return Description{.text = std::move(written.text), .ends = std::move(written.ends)};
  };
  auto join = [&server, model, done = std::move(done)](const DescriptionCache::Made& made) {
    if (made == nullptr) return done(ResourceExhausted("out of memory for the description"));
    done(Guarded([&]() -> StatusOr<wire::Pieces> {
      // A concatenation of serialized messages is the serialized union of their fields.
      return wire::Pieces{BufferOfText(JoinModel(*model, made->text, made->ends)),
                          BufferOfText(StateOf(server, model->name()).SerializeAsString())};
    }));
  };
  server.descriptions.FindOrMake(Cat("message ", model->name(), "/", model->version()), {model},
                                 write, std::move(join));
}

}  // namespace signet
