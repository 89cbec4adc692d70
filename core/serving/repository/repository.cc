#include "core/serving/repository/repository.h"

#include <algorithm>
#include <utility>

#include "core/base/nearest_name.h"
#include "core/serving/repository/list_keys.h"

namespace signet {
namespace {

using State = VersionStatus::State;

constexpr char kOnDemandReason[] = "LOADED_ON_DEMAND";

// Returns the error for a version that is not available.
Status NotAvailable(std::string_view name, const VersionStatus& status) {
  std::string where = Cat("model `", name, "`: version ", status.version, " is ");
  std::string why = status.reason.empty() ? "" : Cat(": ", status.reason);
  switch (status.state) {
    case State::kFailed:
      return FailedPrecondition(where, "not loaded", why);
    case State::kLoading:
      return Unavailable(where, "loading", why, "; try again later");
    case State::kUnloading:
      return NotFound(where, "unloading", why);
    case State::kAvailable:
    case State::kNotLoaded:
      return NotFound(where, "not loaded", why);
  }
  __builtin_unreachable();
}

std::shared_ptr<const EffectiveSettings> DefaultSettings(const RepositoryOptions& options) {
  return std::make_shared<const EffectiveSettings>(
      CombineSettings(options.flags, {}, options.model.limits, options.model.function));
}

int64_t BytesOfCaptures(const LoadedModel& model) {
  int64_t bytes = 0;
  for (const auto& [name, value] : model.captures()) {
    bytes += static_cast<int64_t>(value.num_bytes());
  }
  return bytes;
}

}  // namespace

Repository::Repository(ModelOptions options)
    : Repository(RepositoryOptions{.model = std::move(options)}) {}

Repository::Repository(RepositoryOptions options)
    : options_(std::move(options)),
      timers_(*options_.environment.timers),
      files_(*options_.environment.files),
      maker_(options_.environment.maker != nullptr ? *options_.environment.maker : file_maker_),
      default_settings_(DefaultSettings(options_)) {}

Repository::~Repository() { StopWatching(); }

std::vector<std::string> Repository::Skipped() const {
  std::lock_guard lock(mu_);
  std::vector<std::string> out = skipped_;
  for (const auto& [place, reason] : duplicates_) out.push_back(reason);
  return out;
}

std::vector<std::string> Repository::Misplaced() const {
  std::lock_guard lock(mu_);
  return misplaced_;
}

Repository::Entry& Repository::EntryOf(const std::string& name) {
  Entry& entry = models_[name];
  if (entry.settings == nullptr) {
    entry.settings = default_settings_;
    entry.is_on_demand = default_settings_->settings.load() == v1::ModelSettings::ON_DEMAND;
  }
  return entry;
}

void Repository::Add(std::shared_ptr<const LoadedModel> model) {
  Changes changes;
  {
    std::lock_guard lock(mu_);
    std::string name = model->name();
    int64_t number = model->version();
    Entry& entry = EntryOf(name);
    if (entry.available.contains(number)) Retire(name, entry, number, changes);
    Version& version = entry.versions[number];
    version.folder = {};
    version.is_found = true;
    version.is_stable = true;
    version.status = {.version = number, .state = State::kAvailable};
    version.status.memory_bytes = BytesOfCaptures(*model);
    memory_bytes_ += version.status.memory_bytes;
    entry.available[number] = std::move(model);
    changes.models.push_back(std::move(name));
    FreeRetired(changes);
  }
  Notify(std::move(changes));
}

// --- Requests ---------------------------------------------------------------------------------

StatusOr<const Repository::Entry*> Repository::FindEntry(std::string_view name) const {
  auto found = models_.find(name);
  if (found != models_.end()) return &found->second;
  std::vector<std::string> names;
  for (const auto& [model, entry] : models_) names.push_back(model);
  if (name.empty()) {
    return NotFound("missing name of a model; models: ", ListNames(std::move(names)));
  }
  const std::string hint = NearestHint(name, names);
  return NotFound("model `", Printable(name), "` not found", hint,
                  "; models: ", ListNames(std::move(names)));
}

StatusOr<int64_t> Repository::Resolve(std::string_view name, const Entry& entry,
                                      std::optional<int64_t> version,
                                      std::string_view label) const {
  if (!label.empty()) {
    auto labeled = entry.labels.find(label);
    if (labeled == entry.labels.end()) {
      return NotFound("model `", name, "`: label `", Printable(label),
                      "` not found; labels: ", ListKeys(entry.labels));
    }
    version = labeled->second;
  }
  if (!version) {
    if (!entry.available.empty()) return entry.available.rbegin()->first;
    for (auto it = entry.versions.rbegin(); it != entry.versions.rend(); ++it) {
      if (it->second.status.is_servable()) return it->first;
    }
    if (entry.versions.empty()) return NotFound("model `", name, "` was removed");
    return NotAvailable(name, entry.versions.rbegin()->second.status);
  }
  if (entry.available.contains(*version)) return *version;
  auto known = entry.versions.find(*version);
  if (known == entry.versions.end()) {
    return NotFound("model `", name, "`: version ", *version,
                    " not found; loaded versions: ", ListKeys(entry.available));
  }
  if (known->second.status.is_servable()) return *version;
  return NotAvailable(name, known->second.status);
}

StatusOr<ServedModel> Repository::FindServed(std::string_view name, std::optional<int64_t> version,
                                             std::string_view label) const {
  if (version && !label.empty()) {
    return InvalidArgument("expected a version or a label, found both");
  }
  std::lock_guard lock(mu_);
  SIGNET_ASSIGN_OR_RETURN(const Entry* entry, FindEntry(name));
  SIGNET_ASSIGN_OR_RETURN(int64_t number, Resolve(name, *entry, version, label));
  auto available = entry->available.find(number);
  if (available == entry->available.end()) {
    return WithReason(kOnDemandReason, Unavailable("model `", name, "`: version ", number,
                                                   " is loaded at its first call"));
  }
  if (entry->is_on_demand) entry->versions.at(number).last_use = ++uses_;
  return ServedModel{available->second, entry->settings};
}

StatusOr<std::shared_ptr<const LoadedModel>> Repository::Find(std::string_view name,
                                                              std::optional<int64_t> version,
                                                              std::string_view label) const {
  SIGNET_ASSIGN_OR_RETURN(ServedModel served, FindServed(name, version, label));
  return std::move(served.model);
}

void Repository::LoadOnDemand(std::string_view name, std::optional<int64_t> version,
                              std::string_view label, std::function<void(Status)> done) {
  Changes changes;
  {
    std::lock_guard lock(mu_);
    auto entry = FindEntry(name);
    auto number = entry.ok() ? Resolve(name, **entry, version, label) : entry.status();
    if (!number.ok() || (*entry)->available.contains(*number)) {
      changes.done.emplace_back(std::move(done), number.status());
    } else {
      Version& wanted = models_.find(name)->second.versions.at(*number);
      wanted.is_wanted = true;
      wanted.waiters.push_back(std::move(done));
      Enqueue(std::string(name), wanted, changes);
    }
  }
  Complete(std::move(changes));
}

ModelStatus Repository::StatusOf(const std::string& name, const Entry& entry) const {
  ModelStatus out;
  out.name = name;
  out.labels = entry.labels;
  out.settings = entry.settings;
  if (!entry.admin_labels.empty()) {
    auto settings = std::make_shared<EffectiveSettings>(*entry.settings);
    auto& labels = *settings->settings.mutable_labels();
    for (const auto& [label, number] : entry.admin_labels) {
      if (number) labels[label] = *number;
      if (!number) labels.erase(label);
      settings->origins[Cat("labels.", label)] = v1::ADMIN;
    }
    out.settings = std::move(settings);
  }
  out.settings_error = entry.settings_error;
  out.folder = entry.folder;
  for (const auto& [number, version] : entry.versions) {
    out.versions.push_back(version.status);
    out.versions.back().version = number;
  }
  return out;
}

std::vector<ModelStatus> Repository::List() const {
  std::lock_guard lock(mu_);
  std::vector<ModelStatus> out;
  out.reserve(models_.size());
  for (const auto& [name, entry] : models_) out.push_back(StatusOf(name, entry));
  return out;
}

std::optional<ModelStatus> Repository::StatusOf(std::string_view model) const {
  std::lock_guard lock(mu_);
  auto found = models_.find(model);
  if (found == models_.end()) return std::nullopt;
  return StatusOf(found->first, found->second);
}

int64_t Repository::memory_bytes() const {
  std::lock_guard lock(mu_);
  return memory_bytes_;
}

std::vector<std::shared_ptr<const LoadedModel>> Repository::AvailableModels() const {
  std::vector<std::shared_ptr<const LoadedModel>> models;
  std::lock_guard lock(mu_);
  for (const auto& [name, entry] : models_) {
    for (const auto& [version, model] : entry.available) models.push_back(model);
  }
  return models;
}

void Repository::CollectCaches() const {
  for (const auto& model : AvailableModels()) model->CollectCaches();
}

void Repository::OnChange(std::function<void(const std::string&)> callback) {
  std::lock_guard lock(mu_);
  on_change_ = std::move(callback);
}

void Repository::OnEvent(std::function<void(const RepositoryEvent&)> callback) {
  std::lock_guard lock(mu_);
  on_event_ = std::move(callback);
}

void Repository::Notify(Changes changes) {
  std::function<void(const std::string&)> on_change;
  std::function<void(const RepositoryEvent&)> on_event;
  {
    std::lock_guard lock(mu_);
    on_change = on_change_;
    on_event = on_event_;
  }
  changes.released.clear();  // frees memory before the events that say so
  if (on_change) {
    for (size_t i = 0; i < changes.models.size(); ++i) {
      auto begin = changes.models.begin();
      auto here = begin + static_cast<ptrdiff_t>(i);
      if (std::find(begin, here, *here) == here) on_change(*here);
    }
  }
  if (on_event) {
    for (const RepositoryEvent& event : changes.events) on_event(event);
  }
  for (auto& [done, status] : changes.done) {
    if (done) done(std::move(status));
  }
}

}  // namespace signet
