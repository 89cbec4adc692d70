#include "server/protocols/tensorflow/reload_config.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace signet::tf {
namespace {

using ::tensorflow::serving::FileSystemStoragePathSourceConfig;
using ::tensorflow::serving::ModelConfig;
using ::tensorflow::serving::ReloadConfigRequest;
using Policy = FileSystemStoragePathSourceConfig::ServableVersionPolicy;

constexpr std::chrono::milliseconds kPollInterval(50);

// A model of the request.
struct Wanted {
  ModelStatus status;  // before the change
  std::set<int64_t> versions = {};
  std::map<std::string, int64_t> labels = {};
};

StatusOr<std::set<int64_t>> SelectVersions(const ModelStatus& model, const Policy& policy) {
  std::vector<int64_t> known;  // ascending
  for (const VersionStatus& version : model.versions) {
    if (version.state != VersionStatus::State::kUnloading) known.push_back(version.version);
  }
  switch (policy.policy_choice_case()) {
    case Policy::kAll:
      return std::set<int64_t>(known.begin(), known.end());
    case Policy::kSpecific: {
      std::set<int64_t> out;
      for (int64_t version : policy.specific().versions()) {
        if (!std::binary_search(known.begin(), known.end(), version)) {
          return NotFound("version ", version, " not found; versions: ", Join(known, ", "));
        }
        out.insert(version);
      }
      if (out.empty()) return InvalidArgument("expected at least one version in `specific`");
      return out;
    }
    case Policy::kLatest:
    case Policy::POLICY_CHOICE_NOT_SET: {
      const size_t count =
          std::min<size_t>(std::max(policy.latest().num_versions(), 1U), known.size());
      return std::set<int64_t>(known.end() - static_cast<std::ptrdiff_t>(count), known.end());
    }
  }
  return InvalidArgument("unknown version policy");
}

// Checks that the directory in a configuration is the directory of the model. The server reads only
// the directories that its operator has chosen.
Status CheckBasePath(const ModelStatus& model, const std::string& base_path) {
  if (base_path.empty()) return absl::OkStatus();
  std::error_code ignored;
  const bool is_path = base_path.find('\0') == base_path.npos;
  const std::filesystem::path wanted = std::filesystem::weakly_canonical(base_path, ignored);
  const std::filesystem::path found = std::filesystem::weakly_canonical(model.folder, ignored);
  const bool is_same = is_path && !model.folder.empty() && (wanted / "") == (found / "");
  if (is_same) return absl::OkStatus();
  return InvalidArgument("base_path: expected the directory of the model in a directory of the ",
                         "server (--models), or an empty text; found `", Printable(base_path), "`");
}

StatusOr<Wanted> ReadModel(const Repository& repository, const ModelConfig& config) {
  auto status = repository.StatusOf(config.name());
  if (!status) {
    return NotFound("not found in the directories of models of this server");
  }
  Wanted out{.status = *std::move(status)};
  SIGNET_RETURN_IF_ERROR(CheckBasePath(out.status, config.base_path()));
  SIGNET_ASSIGN_OR_RETURN(out.versions, SelectVersions(out.status, config.model_version_policy()));
  for (const auto& [label, version] : config.version_labels()) {
    if (!out.versions.contains(version)) {
      return FailedPrecondition("label `", Printable(label), "`: version ", version,
                                " is not selected");
    }
    out.labels.emplace(label, version);
  }
  return out;
}

StatusOr<std::map<std::string, Wanted>> ReadRequest(const Repository& repository,
                                                    const ReloadConfigRequest& request) {
  const auto& config = request.config();
  if (!config.has_model_config_list()) {
    return InvalidArgument(
        "ServerModelConfig type not supported by HandleReloadConfigRequest; expected a ",
        "model_config_list");
  }
  std::map<std::string, Wanted> out;
  for (const ModelConfig& model : config.model_config_list().config()) {
    auto wanted = ReadModel(repository, model);
    if (!wanted.ok()) return At(Cat("model `", Printable(model.name()), "`"), wanted.status());
    if (!out.emplace(model.name(), *std::move(wanted)).second) {
      return InvalidArgument("duplicate model `", Printable(model.name()), "`");
    }
  }
  return out;
}

// The outcomes of loads, which other threads report.
struct Loads {
  std::mutex mu;
  std::condition_variable changed;
  int running = 0;  // guarded by mu
  Status status;    // the first error; guarded by mu
};

void StartLoad(Repository& repository, const std::string& model, int64_t version,
               const std::shared_ptr<Loads>& loads) {
  {
    std::lock_guard lock(loads->mu);
    ++loads->running;
  }
  repository.Load(model, version, [loads, model, version](Status status) {
    std::lock_guard lock(loads->mu);
    if (loads->status.ok() && !status.ok()) {
      loads->status = At(Cat("model `", model, "`: version ", version), std::move(status));
    }
    --loads->running;
    loads->changed.notify_all();
  });
}

Status Wait(Loads& loads, const std::function<Status()>& check_wanted) {
  std::unique_lock lock(loads.mu);
  while (loads.running > 0) {
    SIGNET_RETURN_IF_ERROR(check_wanted());
    loads.changed.wait_for(lock, kPollInterval);
  }
  return loads.status;
}

bool IsLoaded(const VersionStatus& version) {
  return version.state == VersionStatus::State::kAvailable ||
         version.state == VersionStatus::State::kLoading;
}

}  // namespace

Status ReloadConfig(Repository& repository, const ReloadConfigRequest& request,
                    const std::function<Status()>& check_wanted) {
  for (const ModelConfig& model : request.config().model_config_list().config()) {
    repository.Examine(model.name());
  }
  SIGNET_ASSIGN_OR_RETURN(auto wanted, ReadRequest(repository, request));
  auto loads = std::make_shared<Loads>();
  for (const auto& [name, model] : wanted) {
    for (const VersionStatus& version : model.status.versions) {
      if (!model.versions.contains(version.version)) continue;
      if (!version.is_servable()) StartLoad(repository, name, version.version, loads);
    }
  }
  Status loaded = Wait(*loads, check_wanted);
  // What replaces the other versions is available, unless its load failed.
  for (const auto& [name, model] : wanted) {
    for (const auto& [label, version] : model.labels) {
      Status set = repository.SetLabel(name, label, version);
      if (loaded.ok()) loaded = std::move(set);
    }
    for (const auto& [label, version] : model.status.labels) {
      if (!model.labels.contains(label)) {
        SIGNET_RETURN_IF_ERROR(repository.RemoveLabel(name, label));
      }
    }
  }
  SIGNET_RETURN_IF_ERROR(loaded);
  for (const ModelStatus& model : repository.List()) {
    auto found = wanted.find(model.name);
    for (const VersionStatus& version : model.versions) {
      const bool is_wanted =
          found != wanted.end() && found->second.versions.contains(version.version);
      if (is_wanted || !(IsLoaded(version) || version.is_on_demand)) continue;
      SIGNET_RETURN_IF_ERROR(repository.Unload(model.name, version.version));
    }
  }
  return absl::OkStatus();
}

}  // namespace signet::tf
