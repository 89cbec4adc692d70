// The part of Repository that decides what to load and unload after a change.

#include <algorithm>
#include <utility>

#include "core/serving/repository/manifest.h"
#include "core/serving/repository/repository.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kRescanTime(1);
constexpr size_t kMostSkippedEntries = 1000;

// Reads the settings next to the versions of a model. Links may not leave the directory.
StatusOr<v1::ModelSettings> ReadSettingsIn(const fs::path& folder) {
  std::error_code error;
  fs::path path = folder / kSettingsFile;
  fs::path root = fs::canonical(folder, error);
  fs::path real = fs::canonical(path, error);
  if (error) return NotFound("cannot read the file: ", error.message());
  if (std::mismatch(root.begin(), root.end(), real.begin(), real.end()).first != root.end()) {
    return InvalidArgument("expected a link to a place inside the directory of the model");
  }
  return ReadModelSettings(path);
}

}  // namespace

Status Repository::Open(std::vector<ModelSource> sources) {
  {
    std::lock_guard scanning(scan_mu_);
    for (ModelSource& source : sources) scanners_.emplace_back(std::move(source));
  }
  SIGNET_RETURN_IF_ERROR(Scan(std::chrono::nanoseconds(0), /*load_again=*/false).status());
  return absl::OkStatus();
}

Status Repository::LoadAll(const fs::path& root) {
  {
    std::lock_guard scanning(scan_mu_);
    bool is_known = std::any_of(scanners_.begin(), scanners_.end(), [&](const FolderScanner& each) {
      return each.source().name.empty() && each.source().folder == root;
    });
    if (!is_known) scanners_.emplace_back(ModelSource{.folder = root});
  }
  return Scan(std::chrono::nanoseconds(0), /*load_again=*/true).status();
}

Status Repository::Rescan(bool dry_run) {
  if (dry_run) return absl::OkStatus();
  SIGNET_ASSIGN_OR_RETURN(bool is_settled, Scan(kRescanTime, /*load_again=*/false));
  if (is_settled) return absl::OkStatus();
  {
    std::unique_lock lock(mu_);
    auto end = Clock::now() + kRescanTime;
    while (!stopping_.load() && Clock::now() < end) changed_.wait_until(lock, end);
  }
  return Scan(kRescanTime, /*load_again=*/false).status();
}

StatusOr<bool> Repository::Scan(std::chrono::nanoseconds settling_time, bool load_again) {
  Changes changes;
  auto is_settled = ScanSources(settling_time, load_again, changes);
  Complete(std::move(changes));
  return is_settled;
}

StatusOr<bool> Repository::ScanSources(std::chrono::nanoseconds settling_time, bool load_again,
                                       Changes& changes) {
  std::lock_guard scanning(scan_mu_);
  Status failed;
  bool is_settled = true;
  std::vector<std::string> skipped;
  std::vector<std::string> misplaced;
  for (FolderScanner& scanner : scanners_) {
    auto scan = scanner.Scan(settling_time);
    if (!scan.ok()) {
      changes.events.push_back({.kind = RepositoryEvent::Kind::kScanFailed,
                                .reason = std::string(MessageOf(scan.status()))});
      failed.Update(scan.status());
      continue;
    }
    is_settled = is_settled && scan->is_settled;
    for (const ScannedModel& model : scan->models) Apply(model, changes);
    for (std::string& each : scanner.Skipped()) {
      if (skipped.size() < kMostSkippedEntries) skipped.push_back(std::move(each));
    }
    for (std::string& each : scanner.Misplaced()) misplaced.push_back(std::move(each));
  }
  {
    std::lock_guard lock(mu_);
    skipped_ = std::move(skipped);
    misplaced_ = std::move(misplaced);
    if (load_again) {
      for (auto& [name, entry] : models_) {
        for (auto& [number, version] : entry.versions) {
          bool has_files = version.is_found && !version.folder.folder.empty();
          version.must_load = has_files && !version.is_loading;
        }
        Evaluate(name, entry, changes);
      }
    }
    std::erase_if(models_, [](const auto& item) { return item.second.versions.empty(); });
  }
  if (!failed.ok()) return failed;
  return is_settled;
}

void Repository::Apply(const ScannedModel& scanned, Changes& changes) {
  FolderStamp known;
  {
    std::lock_guard lock(mu_);
    auto found = models_.find(scanned.name);
    if (found == models_.end() && scanned.versions.empty()) return;
    if (found != models_.end() && !found->second.folder.empty() &&
        found->second.folder != scanned.folder) {
      if (scanned.versions.empty()) return;
      changes.events.push_back(
          {.kind = RepositoryEvent::Kind::kScanFailed,
           .reason = Cat("model `", scanned.name,
                         "` exists in two directories; only the first one is used")});
      return;
    }
    if (found != models_.end()) known = found->second.settings_stamp;
  }
  // Files are read without the lock. The caller holds the lock of scans, so nothing else changes
  // the settings.
  std::optional<StatusOr<v1::ModelSettings>> settings;
  const bool has_new_settings = !scanned.settings.HasSameFiles(known);
  if (has_new_settings && scanned.is_stable) {
    settings =
        scanned.settings.items.empty() ? v1::ModelSettings() : ReadSettingsIn(scanned.folder);
  }
  std::vector<bool> is_complete;
  for (const ScannedVersion& version : scanned.versions) {
    bool must_wait = has_new_settings && !scanned.is_stable;
    is_complete.push_back(!must_wait &&
                          (version.is_stable || MatchesManifestSizes(version.folder.folder)));
  }

  std::lock_guard lock(mu_);
  Entry& entry = EntryOf(scanned.name);
  entry.folder = scanned.folder;
  if (settings) {
    ApplySettings(scanned.name, entry, scanned.settings, *std::move(settings), changes);
  }
  for (size_t i = 0; i < scanned.versions.size(); ++i) {
    const ScannedVersion& found = scanned.versions[i];
    Version& version = entry.versions[found.folder.version];
    if (!version.is_found) {
      version.override = Override::kNone;
      version.failures = 0;
    }
    if (!version.stamp.HasSameFiles(found.stamp)) version.was_evicted = false;
    version.folder = found.folder;
    version.stamp = found.stamp;
    version.is_found = true;
    version.is_stable = is_complete[i];
    version.status.version = found.folder.version;
  }
  if (scanned.is_stable) {
    for (auto& [number, version] : entry.versions) {
      bool is_made = version.folder.folder.empty();
      bool is_listed =
          std::any_of(scanned.versions.begin(), scanned.versions.end(),
                      [&, n = number](const auto& each) { return each.folder.version == n; });
      if (!is_made && !is_listed) version.is_found = false;
    }
  }
  Evaluate(scanned.name, entry, changes);
  EvaluateImporters(changes);
}

void Repository::ApplySettings(const std::string& name, Entry& entry, const FolderStamp& stamp,
                               StatusOr<v1::ModelSettings> settings, Changes& changes) {
  entry.settings_stamp = stamp;
  Status checked = settings.status();
  if (checked.ok()) {
    checked = CheckModelSettings(*settings, options_.model.limits, options_.model.function);
  }
  changes.models.push_back(name);
  if (!checked.ok()) {
    entry.settings_error = std::string(MessageOf(At(kSettingsFile, checked)));
    // A model that had no settings file until now keeps its settings, too.
    bool is_first = entry.available.empty() && entry.versions.empty();
    if (is_first) entry.has_good_settings = false;
    changes.events.push_back({.kind = RepositoryEvent::Kind::kSettingsRejected,
                              .model = name,
                              .reason = entry.settings_error});
    return;
  }
  entry.settings_error.clear();
  entry.has_good_settings = true;
  // A label that the file moves is no longer what the administrator set.
  for (const auto& [label, version] : settings->labels()) {
    auto before = entry.file_settings.labels().find(label);
    bool has_moved = before == entry.file_settings.labels().end() || before->second != version;
    if (has_moved) entry.admin_labels.erase(label);
  }
  entry.file_settings = *std::move(settings);
  entry.settings = std::make_shared<const EffectiveSettings>(CombineSettings(
      options_.flags, entry.file_settings, options_.model.limits, options_.model.function));
  entry.is_on_demand = entry.settings->settings.load() == v1::ModelSettings::ON_DEMAND;
  changes.events.push_back({.kind = RepositoryEvent::Kind::kSettingsApplied, .model = name});
}

std::set<int64_t> Repository::SelectedVersions(const Entry& entry) const {
  std::set<int64_t> selected;
  const v1::VersionPolicy& policy = entry.settings->settings.version_policy();
  int64_t room = policy.has_newest() ? policy.newest().count() : INT64_MAX;
  for (auto it = entry.versions.rbegin(); it != entry.versions.rend(); ++it) {
    const auto& [number, version] = *it;
    if (!version.is_found || version.override == Override::kUnloaded) continue;
    const auto& listed = policy.listed().versions();
    bool is_made = version.folder.folder.empty();
    bool is_chosen = is_made || version.override == Override::kLoaded;
    if (policy.has_listed()) {
      is_chosen = is_chosen || std::find(listed.begin(), listed.end(), number) != listed.end();
    } else if (room > 0) {
      is_chosen = true;
      // A version that cannot be loaded leaves its place to an older one.
      bool is_failed = version.failures > 0 && !entry.available.contains(number);
      if (!is_failed) --room;
    }
    if (is_chosen) selected.insert(number);
  }
  auto add = [&](int64_t number) {
    auto version = entry.versions.find(number);
    if (version != entry.versions.end() && version->second.is_found &&
        version->second.override != Override::kUnloaded) {
      selected.insert(number);
    }
  };
  for (const auto& [label, number] : entry.labels) add(number);
  for (const auto& [label, number] : entry.file_settings.labels()) {
    if (!entry.admin_labels.contains(label)) add(number);
  }
  return selected;
}

bool Repository::NeedsLoad(const Key& key, const Entry& entry, const Version& version) {
  if (version.is_loading || version.folder.folder.empty()) return false;
  if (version.must_load) return true;
  if (!version.is_stable || !AreImportsStable(version.imports)) return false;
  bool is_available = entry.available.contains(key.second);
  const FolderStamp files = StampWithImports(version);
  if (is_available && version.loaded.HasSameFiles(files) &&
      version.loaded_limits == LimitsOfLoad(entry.settings->settings)) {
    return false;
  }
  if (version.failures == 0) return true;
  if (!version.may_retry && version.failed.HasSameFiles(files) && !version.is_wanted) {
    return false;
  }
  if (Clock::now() >= version.retry_at) return true;
  retries_[key] = version.retry_at;
  changed_.notify_all();
  return false;
}

StatusOr<const Repository::Version*> Repository::FindImport(const ModelReference& reference) const {
  SIGNET_ASSIGN_OR_RETURN(const Entry* entry, FindEntry(reference.name));
  std::optional<int64_t> number = reference.version;
  if (!number) {
    auto label = entry->labels.find(reference.label);
    if (label != entry->labels.end()) number = label->second;
    // A label of the settings moves only to an available version, which may not be loaded yet.
    auto stated = entry->file_settings.labels().find(reference.label);
    const bool is_stated = stated != entry->file_settings.labels().end() &&
                           !entry->admin_labels.contains(reference.label);
    if (!number && is_stated) number = stated->second;
    if (!number) {
      return NotFound("model `", reference.name, "`: label `", reference.label, "` not found");
    }
  }
  auto version = entry->versions.find(*number);
  const bool is_found = version != entry->versions.end() && version->second.is_found &&
                        !version->second.folder.folder.empty();
  if (!is_found) {
    return NotFound("model `", reference.name, "`: version ", *number, " not found");
  }
  SIGNET_RETURN_IF_ERROR(version->second.folder.status);
  return &version->second;
}

FolderStamp Repository::StampOfImports(const std::vector<ModelReference>& imports) const {
  FolderStamp out;
  for (const ModelReference& reference : imports) {
    auto version = FindImport(reference);
    if (version.ok()) out.Append((*version)->stamp);
  }
  return out;
}

bool Repository::AreImportsStable(const std::vector<ModelReference>& imports) const {
  return std::all_of(imports.begin(), imports.end(), [&](const ModelReference& reference) {
    auto version = FindImport(reference);
    return !version.ok() || (*version)->is_stable;
  });
}

FolderStamp Repository::StampWithImports(const Version& version) const {
  FolderStamp out = version.stamp;
  out.Append(StampOfImports(version.imports));
  return out;
}

void Repository::EvaluateImporters(Changes& changes) {
  for (const std::string& name : importers_) {
    auto entry = models_.find(name);
    if (entry != models_.end()) Evaluate(name, entry->second, changes);
  }
}

void Repository::SetState(const std::string& name, Version& version, State state,
                          std::string reason, Changes& changes) {
  bool was_servable = version.status.is_servable();
  bool has_changed = version.status.state != state || version.status.reason != reason;
  version.status.state = state;
  version.status.reason = std::move(reason);
  bool stays_servable = was_servable && version.status.is_servable();
  if (has_changed && !stays_servable) changes.models.push_back(name);
}

void Repository::MoveLabels(Entry& entry) {
  auto is_servable = [&](int64_t number) {
    auto version = entry.versions.find(number);
    return version != entry.versions.end() && version->second.is_found &&
           version->second.status.is_servable();
  };
  for (const auto& [label, number] : entry.file_settings.labels()) {
    if (!entry.admin_labels.contains(label) && is_servable(number)) {
      entry.labels.insert_or_assign(label, number);
    }
  }
  for (auto it = entry.labels.begin(); it != entry.labels.end();) {
    auto version = entry.versions.find(it->second);
    bool exists = version != entry.versions.end() && version->second.is_found;
    bool is_stated =
        entry.admin_labels.contains(it->first) || entry.file_settings.labels().contains(it->first);
    if (exists && is_stated) {
      ++it;
    } else {
      it = entry.labels.erase(it);
    }
  }
}

void Repository::Evaluate(const std::string& name, Entry& entry, Changes& changes) {
  if (!entry.has_good_settings) {
    for (auto& [number, version] : entry.versions) {
      if (!entry.available.contains(number)) {
        SetState(name, version, State::kFailed, entry.settings_error, changes);
      }
    }
  } else {
    for (auto& [number, version] : entry.versions) {
      version.status.is_on_demand = entry.is_on_demand && !version.folder.folder.empty();
      if (version.status.is_on_demand && entry.available.contains(number)) {
        loaded_on_demand_.insert({name, number});
      } else {
        loaded_on_demand_.erase({name, number});
      }
    }
    MoveLabels(entry);
    const std::set<int64_t> selected = SelectedVersions(entry);
    RemoveSurplus(name, entry, selected, changes);
    for (auto& [number, version] : entry.versions) {
      if (!version.is_found || version.is_loading) continue;
      const Key key(name, number);
      const bool is_available = entry.available.contains(number);
      if (!selected.contains(number)) {
        if (is_available || IsRetiring(name, number)) continue;
        const std::string policy = FormatVersionPolicy(entry.settings->settings.version_policy());
        version.status.is_on_demand = false;
        SetState(name, version, State::kNotLoaded,
                 version.override == Override::kUnloaded
                     ? "unloaded by an administrator"
                     : Cat("not selected by the version policy `", policy, "`"),
                 changes);
        continue;
      }
      const bool can_wait = version.status.is_on_demand && !is_available && !version.is_wanted &&
                            !version.must_load && version.override != Override::kLoaded &&
                            (entry.available.empty() || version.was_evicted ||
                             number < entry.available.rbegin()->first);
      if (can_wait && version.is_stable && version.folder.status.ok()) {
        bool is_failed =
            version.failures > 0 && version.failed.HasSameFiles(StampWithImports(version));
        if (is_failed && Clock::now() < version.retry_at) {
          retries_[key] = version.retry_at;
        } else {
          SetState(name, version, State::kNotLoaded, "loaded at the first call", changes);
        }
      } else if (NeedsLoad(key, entry, version)) {
        Enqueue(name, version, changes);
      } else if (!is_available && !version.is_stable) {
        SetState(name, version, State::kLoading, "", changes);
        version.status.progress = "waiting until its files stop changing";
      } else if (!is_available && version.failures > 0) {
        SetState(name, version, State::kFailed, version.failure, changes);
      }
    }
    MoveLabels(entry);
  }
  for (auto it = entry.versions.begin(); it != entry.versions.end();) {
    auto& [number, version] = *it;
    const bool is_available = entry.available.contains(number);
    if (!version.is_loading && !version.waiters.empty()) {
      Status outcome = is_available ? absl::OkStatus()
                                    : FailedPrecondition("model `", name, "`: version ", number,
                                                         " is not loaded: ", version.status.reason);
      for (auto& waiter : version.waiters) changes.done.emplace_back(std::move(waiter), outcome);
      version.waiters.clear();
    }
    const bool is_gone = !version.is_found && !version.is_loading && !is_available;
    if (is_gone && !IsRetiring(name, number)) {
      changes.models.push_back(name);
      it = entry.versions.erase(it);
    } else {
      ++it;
    }
  }
  changed_.notify_all();
}

void Repository::RemoveSurplus(const std::string& name, Entry& entry,
                               const std::set<int64_t>& selected, Changes& changes) {
  const v1::VersionPolicy& policy = entry.settings->settings.version_policy();
  bool has_selected = false;
  std::vector<int64_t> numbers;
  for (const auto& [number, model] : entry.available) {
    has_selected = has_selected || selected.contains(number);
    numbers.push_back(number);
  }
  // The newest available versions remain until the selected ones are available.
  size_t kept = 0;
  std::reverse(numbers.begin(), numbers.end());
  for (int64_t number : numbers) {
    const Version& version = entry.versions.at(number);
    bool remains = version.is_found && version.override != Override::kUnloaded;
    if (remains && !selected.contains(number)) {
      remains =
          policy.has_newest() ? kept < static_cast<size_t>(policy.newest().count()) : !has_selected;
    }
    if (remains) {
      ++kept;
    } else {
      Retire(name, entry, number, changes);
    }
  }
}

bool Repository::IsRetiring(const std::string& name, int64_t number) const {
  return std::any_of(retired_.begin(), retired_.end(), [&](const Retired& each) {
    return each.version == number && each.name == name;
  });
}

void Repository::Retire(const std::string& name, Entry& entry, int64_t number, Changes& changes) {
  auto available = entry.available.find(number);
  if (available == entry.available.end()) return;
  Version& version = entry.versions.at(number);
  retired_.push_back({name, number, std::move(available->second), version.status.memory_bytes});
  entry.available.erase(available);
  loaded_on_demand_.erase({name, number});
  version.status.memory_bytes = 0;
  version.loaded = {};
  SetState(name, version, State::kUnloading, "", changes);
  changes.models.push_back(name);
  changes.events.push_back({.kind = RepositoryEvent::Kind::kUnloading,
                            .model = name,
                            .version = number,
                            .is_on_demand = version.status.is_on_demand});
  changed_.notify_all();
}

void Repository::FreeRetired(Changes& changes) {
  std::set<Key> freed;
  std::erase_if(retired_, [&](Retired& each) {
    // No other thread can copy a model that only this list holds.
    if (each.model.use_count() > 1) return false;
    memory_bytes_ -= each.bytes;
    changes.released.push_back(std::move(each.model));
    freed.emplace(std::move(each.name), each.version);
    return true;
  });
  for (const Key& key : freed) {
    if (IsRetiring(key.first, key.second)) continue;
    auto found = models_.find(key.first);
    RepositoryEvent event = {.kind = RepositoryEvent::Kind::kUnloaded};
    event.model = key.first;
    event.version = key.second;
    event.is_on_demand = found != models_.end() && found->second.is_on_demand;
    changes.events.push_back(std::move(event));
    if (found == models_.end()) continue;
    Evaluate(key.first, found->second, changes);
    if (found->second.versions.empty()) models_.erase(found);
  }
  if (!freed.empty()) changed_.notify_all();
}

}  // namespace signet
