#include "server/protocols/inference/model_changes.h"

#include <utility>

#include "server/observability/log.h"

namespace signet {
namespace {

Status CheckMayChange(const InferenceOptions& options) {
  if (options.may_change_models) return absl::OkStatus();
  return Unavailable("explicit model load / unload is not allowed; start the server with --admin");
}

void LogChange(const char* what, const std::string& model, const Status& status) {
  Log(status.ok() ? LogLevel::kInfo : LogLevel::kWarning, "admin",
      {{"rpc", what},
       {"model", model},
       {"status", std::string(absl::StatusCodeToString(status.code()))},
       {"reason", std::string(MessageOf(status))}});
}

}  // namespace

Status CheckRepositoryName(const std::string& name) {
  if (name.empty()) return absl::OkStatus();
  return Unimplemented("'repository_name' specification is not supported");
}

void LoadForClient(ServerContext& server, const InferenceOptions& options, const std::string& model,
                   bool has_parameters, std::function<void(Status)> done) {
  auto finish = [model, done = std::move(done)](const Status& status) {
    LogChange("RepositoryModelLoad", model, status);
    done(status);
  };
  if (Status allowed = CheckMayChange(options); !allowed.ok()) return finish(allowed);
  if (has_parameters) {
    return finish(Unimplemented(
        "failed to load '", Printable(model),
        "', parameters: the server loads models from its directories as they are there"));
  }
  auto end = [&server, model, finish](const Status& loaded) {
    if (loaded.ok()) return finish(loaded);
    const std::string name = Printable(model);
    if (!server.repository.StatusOf(model)) {
      return finish(InvalidArgument("failed to load '", name,
                                    "', failed to poll from model repository; no model of this "
                                    "name has been found in the directories of the server"));
    }
    finish(MakeStatus(loaded.code(), Cat("failed to load '", name, "', load failed for model '",
                                         name, "': ", MessageOf(loaded))));
  };
  // The directory is examined, which may take long.
  server.makers.Schedule([&server, model, end] { server.repository.LoadSelected(model, end); });
}

Status UnloadForClient(ServerContext& server, const InferenceOptions& options,
                       const std::string& model) {
  Status status = CheckMayChange(options);
  if (status.ok()) status = server.repository.Unload(model, std::nullopt);
  if (absl::IsNotFound(status)) status = absl::OkStatus();  // clients expect that nothing happens
  LogChange("RepositoryModelUnload", model, status);
  return status;
}

}  // namespace signet
