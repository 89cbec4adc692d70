#include "server/protocols/inference/model_changes.h"

#include <algorithm>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

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

// Returns the versions that the policy of the model selects, or else the newest one.
std::vector<int64_t> SelectedVersions(const ModelStatus& status) {
  std::vector<int64_t> known;  // ascending
  for (const VersionStatus& version : status.versions) known.push_back(version.version);
  v1::VersionPolicy policy;
  if (status.settings != nullptr) policy = status.settings->settings.version_policy();
  if (policy.has_all()) return known;
  std::vector<int64_t> out;
  for (int64_t version : policy.listed().versions()) {
    if (std::binary_search(known.begin(), known.end(), version)) out.push_back(version);
  }
  if (!out.empty()) return out;
  const auto count = static_cast<size_t>(std::max(policy.newest().count(), 1));
  return {known.end() - static_cast<std::ptrdiff_t>(std::min(count, known.size())), known.end()};
}

// Waits for the loads of several versions. Thread-safe.
class PendingLoads {
 public:
  PendingLoads(size_t count, std::function<void(Status)> done)
      : left_(count), done_(std::move(done)) {}

  // Calls `done` with the first error after the last load.
  void End(const Status& loaded) {
    {
      std::lock_guard lock(mu_);
      status_.Update(loaded);
      if (--left_ > 0) return;
    }
    done_(status_);
  }

 private:
  std::mutex mu_;
  size_t left_;
  Status status_;  // guarded by mu_ until the last load has ended
  const std::function<void(Status)> done_;
};

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
  // A new model may have been added to the directories since the last examination.
  auto status = server.repository.StatusOf(model);
  if (!status || status->versions.empty()) {
    return finish(InvalidArgument("failed to load '", Printable(model),
                                  "', failed to poll from model repository; no model of this name "
                                  "has been found in the directories of the server"));
  }
  const std::vector<int64_t> versions = SelectedVersions(*status);
  auto loads =
      std::make_shared<PendingLoads>(versions.size(), [model, finish](const Status& loaded) {
        if (loaded.ok()) return finish(loaded);
        const std::string name = Printable(model);
        finish(MakeStatus(loaded.code(), Cat("failed to load '", name, "', load failed for model '",
                                             name, "': ", MessageOf(loaded))));
      });
  for (int64_t version : versions) {
    server.repository.Load(model, version, [loads](const Status& loaded) { loads->End(loaded); });
  }
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
