#include "core/serving/repository/repository.h"

#include <utility>

#include "core/frontends/load_model.h"
#include "core/serving/repository/model_folders.h"

namespace signet {
namespace {

using State = VersionStatus::State;

std::string_view NameOf(State state) {
  switch (state) {
    case State::kLoading:
      return "loading";
    case State::kAvailable:
      return "available";
    case State::kUnloading:
      return "unloading";
    case State::kFailed:
      return "not loaded";
  }
  __builtin_unreachable();
}

// Returns the error for a version that is not available.
Status NotAvailable(std::string_view name, const VersionStatus& status) {
  std::string why = status.reason.empty() ? "" : Cat(": ", status.reason);
  return FailedPrecondition("model `", name, "`: version ", status.version, " is ",
                            NameOf(status.state), why);
}

template <class Map>
std::string ListKeys(const Map& map) {
  std::vector<std::string> keys;
  keys.reserve(map.size());
  for (const auto& [key, value] : map) keys.push_back(Cat(key));
  return keys.empty() ? "none" : Join(keys, ", ");
}

}  // namespace

Repository::Repository(ModelOptions options) : options_(options) {}

Status Repository::LoadAll(const std::filesystem::path& root) {
  SIGNET_ASSIGN_OR_RETURN(ModelFolders found, FindModelFolders(root));
  {
    std::lock_guard lock(mu_);
    skipped_.insert(skipped_.end(), found.skipped.begin(), found.skipped.end());
    misplaced_.insert(misplaced_.end(), found.misplaced.begin(), found.misplaced.end());
  }
  for (const VersionFolder& folder : found.versions) {
    SetStatus(folder.name, {folder.version, State::kLoading, ""});
    auto model = folder.status.ok()
                     ? LoadModel(folder.folder, folder.name, folder.version, options_)
                     : StatusOr<std::shared_ptr<const LoadedModel>>(folder.status);
    if (model.ok()) {
      SetStatus(folder.name, {folder.version, State::kAvailable, ""}, *std::move(model));
    } else {
      SetStatus(folder.name,
                {folder.version, State::kFailed, std::string(MessageOf(model.status()))});
    }
  }
  return absl::OkStatus();
}

std::vector<std::string> Repository::Skipped() const {
  std::lock_guard lock(mu_);
  return skipped_;
}

std::vector<std::string> Repository::Misplaced() const {
  std::lock_guard lock(mu_);
  return misplaced_;
}

void Repository::Add(std::shared_ptr<const LoadedModel> model) {
  std::string name = model->name();
  VersionStatus status{model->version(), State::kAvailable, ""};
  SetStatus(name, std::move(status), std::move(model));
}

void Repository::SetStatus(const std::string& name, VersionStatus status,
                           std::shared_ptr<const LoadedModel> model) {
  std::function<void(const std::string&)> callback;
  {
    std::lock_guard lock(mu_);
    Entry& entry = models_[name];
    if (model != nullptr) entry.available[status.version].swap(model);
    // An available version that cannot be reloaded remains available.
    if (status.state == State::kAvailable || !entry.available.contains(status.version)) {
      entry.statuses[status.version] = std::move(status);
    }
    callback = on_change_;
  }
  if (callback) callback(name);
}

Status Repository::SetLabel(std::string_view model, std::string_view label, int64_t version) {
  std::string name(model);
  std::function<void(const std::string&)> callback;
  {
    std::lock_guard lock(mu_);
    auto entry = models_.find(model);
    if (entry == models_.end()) {
      return NotFound("model `", Printable(model), "` not found; models: ", ListKeys(models_));
    }
    if (!entry->second.available.contains(version)) {
      return FailedPrecondition(
          "model `", name, "`: label `", Printable(label), "`: version ", version,
          " is not available; available versions: ", ListKeys(entry->second.available));
    }
    entry->second.labels.insert_or_assign(std::string(label), version);
    callback = on_change_;
  }
  if (callback) callback(name);
  return absl::OkStatus();
}

StatusOr<std::shared_ptr<const LoadedModel>> Repository::Find(std::string_view name,
                                                              std::optional<int64_t> version,
                                                              std::string_view label) const {
  if (version && !label.empty()) {
    return InvalidArgument("expected a version or a label, found both");
  }
  std::lock_guard lock(mu_);
  auto found = models_.find(name);
  if (found == models_.end()) {
    std::vector<std::string> names;
    for (const auto& [model, entry] : models_) names.push_back(model);
    if (name.empty())
      return NotFound("missing name of a model; models: ", ListNames(std::move(names)));
    return NotFound("model `", Printable(name),
                    "` not found; models: ", ListNames(std::move(names)));
  }
  const Entry& entry = found->second;
  if (!label.empty()) {
    auto labeled = entry.labels.find(label);
    if (labeled == entry.labels.end()) {
      return NotFound("model `", name, "`: label `", Printable(label),
                      "` not found; labels: ", ListKeys(entry.labels));
    }
    version = labeled->second;
  }
  if (!version) {
    if (!entry.available.empty()) return entry.available.rbegin()->second;
    return NotAvailable(name, entry.statuses.rbegin()->second);
  }
  auto available = entry.available.find(*version);
  if (available != entry.available.end()) return available->second;
  auto status = entry.statuses.find(*version);
  if (status != entry.statuses.end()) return NotAvailable(name, status->second);
  return NotFound("model `", name, "`: version ", *version,
                  " not found; loaded versions: ", ListKeys(entry.available));
}

std::vector<ModelStatus> Repository::List() const {
  std::lock_guard lock(mu_);
  std::vector<ModelStatus> out;
  for (const auto& [name, entry] : models_) {
    ModelStatus& model = out.emplace_back();
    model.name = name;
    model.labels = entry.labels;
    for (const auto& [version, status] : entry.statuses) model.versions.push_back(status);
  }
  return out;
}

void Repository::CollectCaches() const {
  std::vector<std::shared_ptr<const LoadedModel>> models;
  {
    std::lock_guard lock(mu_);
    for (const auto& [name, entry] : models_) {
      for (const auto& [version, model] : entry.available) models.push_back(model);
    }
  }
  for (const auto& model : models) model->CollectCaches();
}

void Repository::OnChange(std::function<void(const std::string&)> callback) {
  std::lock_guard lock(mu_);
  on_change_ = std::move(callback);
}

}  // namespace signet
