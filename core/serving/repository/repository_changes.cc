// The part of Repository that decides what to load and unload after a change.

#include <algorithm>
#include <utility>

#include "core/serving/repository/repository.h"

namespace signet {

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
  if (version.must_load) return !AwaitsImport(key, version);
  if (!version.is_stable || PendingImport(key, version)) return false;
  if (IsLoaded(entry, version)) return false;
  if (version.failures == 0) return true;
  const FolderStamp files = StampWithImports(version);
  if (!version.may_retry && version.failed.HasSameFiles(files) && !version.is_wanted) {
    return false;
  }
  if (timers_.Now() >= version.retry_at) return true;
  retries_[key] = version.retry_at;
  Advance();
  return false;
}

bool Repository::IsCurrent(const Entry& entry, const Version& version) const {
  return entry.available.contains(version.status.version) &&
         version.loaded.HasSameFiles(version.stamp) &&
         version.loaded_content.HasSameFiles(StampOfImports(version.loaded_imports));
}

bool Repository::IsLoaded(const Entry& entry, const Version& version) const {
  return IsCurrent(entry, version) &&
         version.loaded_limits == LimitsOfLoad(entry.settings->settings);
}

void Repository::SetState(const std::string& name, Version& version, State state,
                          std::string reason, Changes& changes) {
  bool was_servable = version.status.is_servable();
  bool has_changed = version.status.state != state || version.status.reason != reason;
  version.status.state = state;
  version.status.reason = std::move(reason);
  if (state != State::kLoading && !version.is_loading) version.status.progress.clear();
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
    bool exists = version != entry.versions.end() &&
                  (version->second.is_found || entry.available.contains(it->second));
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
    MoveLabels(entry);
    const std::set<int64_t> selected = SelectedVersions(entry);
    RemoveSurplus(name, entry, selected, changes);
    for (auto& [number, version] : entry.versions) {
      const bool is_available = entry.available.contains(number);
      const bool was_servable = version.status.is_servable();
      version.status.is_on_demand = entry.is_on_demand && !version.folder.folder.empty() &&
                                    (is_available || selected.contains(number));
      if (version.status.is_servable() != was_servable) changes.models.push_back(name);
      if (version.status.is_on_demand && is_available) {
        loaded_on_demand_.insert({name, number});
      } else {
        loaded_on_demand_.erase({name, number});
      }
    }
    // True if a version whose directory was removed is served until another one is available.
    const bool is_leaving =
        std::any_of(entry.available.begin(), entry.available.end(),
                    [&](const auto& each) { return !entry.versions.at(each.first).is_found; });
    for (auto& [number, version] : entry.versions) {
      if (!version.is_found || version.is_loading) continue;
      const Key key(name, number);
      const bool is_available = entry.available.contains(number);
      if (!selected.contains(number)) {
        if (is_available || IsRetiring(name, number)) continue;
        const std::string policy = FormatVersionPolicy(entry.settings->settings.version_policy());
        SetState(name, version, State::kNotLoaded,
                 version.override == Override::kUnloaded
                     ? "unloaded by an administrator"
                     : Cat("not selected by the version policy `", policy, "`"),
                 changes);
        continue;
      }
      const bool is_next = is_leaving && number == *selected.rbegin();
      const bool can_wait = version.status.is_on_demand && !is_available && !version.is_wanted &&
                            !version.must_load && version.override != Override::kLoaded &&
                            !is_next &&
                            (entry.available.empty() || version.was_evicted ||
                             number < entry.available.rbegin()->first);
      if (can_wait && version.is_stable && version.folder.status.ok()) {
        bool is_failed =
            version.failures > 0 && version.failed.HasSameFiles(StampWithImports(version));
        if (is_failed && timers_.Now() < version.retry_at) {
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
      } else if (is_available) {
        ExplainContent(key, entry, version, changes);
      }
    }
    MoveLabels(entry);
  }
  for (auto it = entry.versions.begin(); it != entry.versions.end();) {
    auto& [number, version] = *it;
    const bool is_available = entry.available.contains(number);
    const bool must_wait =
        version.is_loading || (version.is_found && AwaitsImport({name, number}, version));
    if (!must_wait && !version.waiters.empty()) {
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
  Advance();
}

void Repository::ExplainContent(const Key& key, const Entry& entry, Version& version,
                                Changes& changes) {
  if (version.status.reason.empty() && version.imports.empty()) return;
  if (IsLoaded(entry, version)) {
    version.failures = 0;
    return SetState(key.first, version, State::kAvailable, "", changes);
  }
  const auto pending = PendingImport(key, version.imports);
  if (!pending || pending->version->failures == 0) return;
  SetState(key.first, version, State::kAvailable,
           Cat(kEarlierContent, "model `", pending->key.first, "`: version ", pending->key.second,
               ", which this version imports: ", pending->version->failure),
           changes);
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
  // A version whose directory was removed remains until the newest selected version is available.
  // If that one cannot be loaded, any selected version replaces it.
  const Version* next = selected.empty() ? nullptr : &entry.versions.at(*selected.rbegin());
  const bool is_next_missing = next != nullptr && !entry.available.contains(next->status.version) &&
                               (next->failures == 0 || !has_selected);
  // The newest available versions remain until the selected ones are available.
  size_t kept = 0;
  std::reverse(numbers.begin(), numbers.end());
  for (int64_t number : numbers) {
    Version& version = entry.versions.at(number);
    bool remains = version.is_found && version.override != Override::kUnloaded;
    if (!version.is_found && version.override != Override::kUnloaded && is_next_missing) {
      SetState(name, version, State::kAvailable,
               Cat("its directory was removed; it is served until version ", next->status.version,
                   " is available"),
               changes);
      ++kept;
      continue;
    }
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
  version.loaded_imports.clear();
  version.loaded_content = {};
  version.captures_revision = 0;
  SetState(name, version, State::kUnloading, "", changes);
  changes.models.push_back(name);
  changes.events.push_back({.kind = RepositoryEvent::Kind::kUnloading,
                            .model = name,
                            .version = number,
                            .is_on_demand = version.status.is_on_demand});
  Advance();
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
    const bool is_available =
        found != models_.end() && found->second.available.contains(key.second);
    RepositoryEvent event = {.kind = is_available ? RepositoryEvent::Kind::kFreed
                                                  : RepositoryEvent::Kind::kUnloaded};
    event.model = key.first;
    event.version = key.second;
    event.is_on_demand = found != models_.end() && found->second.is_on_demand;
    changes.events.push_back(std::move(event));
    if (found == models_.end()) continue;
    Evaluate(key.first, found->second, changes);
    if (found->second.versions.empty()) models_.erase(found);
  }
  if (!freed.empty()) Advance();
}

}  // namespace signet
