// The part of Repository for administrators: loads, labels, and replacements that they request.

#include <algorithm>
#include <utility>

#include "core/serving/repository/list_keys.h"
#include "core/serving/repository/repository.h"

namespace signet {
namespace {

// Waits for the loads of several versions. Thread-safe.
class JoinedLoads {
 public:
  JoinedLoads(size_t count, std::function<void(Status)> done)
      : left_(count), done_(std::move(done)) {}

  // Calls `done` with the first error after the last load.
  void End(const Status& loaded) {
    {
      std::lock_guard lock(mu_);
      status_.Update(loaded);
      if (--left_ > 0) return;
    }
    if (done_) done_(status_);
  }

 private:
  std::mutex mu_;
  size_t left_;
  Status status_;  // guarded by mu_ until the last load has ended
  const std::function<void(Status)> done_;
};

}  // namespace

StatusOr<std::pair<Repository::Entry*, Repository::Version*>> Repository::FindKnown(
    std::string_view model, std::optional<int64_t> version) {
  SIGNET_RETURN_IF_ERROR(FindEntry(model).status());
  Entry& entry = models_.find(model)->second;
  if (!version) {
    for (auto it = entry.versions.rbegin(); it != entry.versions.rend(); ++it) {
      if (it->second.is_found) return std::pair(&entry, &it->second);
    }
    return NotFound("model `", model, "` has no versions");
  }
  auto known = entry.versions.find(*version);
  if (known != entry.versions.end()) return std::pair(&entry, &known->second);
  return NotFound("model `", model, "`: version ", *version,
                  " not found; versions: ", ListKeys(entry.versions));
}

bool Repository::RequestLoad(const std::string& model, Entry& entry, Version& version, bool again,
                             std::function<void(Status)> done, Changes& changes) {
  const int64_t number = version.status.version;
  const bool is_available = entry.available.contains(number);
  const bool is_made = version.folder.folder.empty();
  if (is_made && (again || !is_available)) {
    changes.done.emplace_back(std::move(done),
                              FailedPrecondition("model `", model, "`: version ", number,
                                                 " was made by the program and has no files"));
    return false;
  }
  version.override = Override::kLoaded;
  const bool is_current = is_made || IsCurrent(entry, version);
  if (is_current && !again && !version.is_loading) {
    changes.done.emplace_back(std::move(done), absl::OkStatus());
    return false;
  }
  version.must_load = again || !version.is_loading;
  version.is_requested = true;
  if (done) version.waiters.push_back(std::move(done));
  return true;
}

bool Repository::RequestLoad(std::string_view model, std::optional<int64_t> version, bool again,
                             std::function<void(Status)> done) {
  // What the examination finds may be loaded before the lock is held again.
  std::map<int64_t, std::weak_ptr<const LoadedModel>> before;
  {
    std::lock_guard lock(mu_);
    const auto entry = models_.find(model);
    if (entry != models_.end()) {
      before.insert(entry->second.available.begin(), entry->second.available.end());
    }
  }
  Examine(model);
  Changes changes;
  bool has_changed = false;
  {
    std::lock_guard lock(mu_);
    auto known = FindKnown(model, version);
    if (!known.ok()) {
      changes.done.emplace_back(std::move(done), known.status());
    } else {
      Entry& entry = *known->first;
      std::vector<Version*> wanted;
      if (again && !version) {
        for (const auto& [number, available] : entry.available) {
          wanted.push_back(&entry.versions.at(number));
        }
      }
      if (wanted.empty()) wanted.push_back(known->second);
      auto loads = std::make_shared<JoinedLoads>(wanted.size(), std::move(done));
      auto end = [loads](const Status& loaded) { loads->End(loaded); };
      for (Version* each : wanted) {
        const bool begins = RequestLoad(std::string(model), entry, *each, again, end, changes);
        const int64_t number = each->status.version;
        const auto available = entry.available.find(number);
        const bool was_replaced =
            available != entry.available.end() && before[number].lock() != available->second;
        has_changed = has_changed || begins || was_replaced;
      }
      Evaluate(std::string(model), entry, changes);
    }
  }
  Complete(std::move(changes));
  return has_changed;
}

StatusOr<bool> Repository::PreviewLoad(std::string_view model,
                                       std::optional<int64_t> version) const {
  const std::optional<ScannedModel> found = Inspect(model);
  std::lock_guard lock(mu_);
  const auto entry = models_.find(model);
  if (!found || found->versions.empty()) {
    // Models of the program have no directory.
    SIGNET_RETURN_IF_ERROR(FindEntry(model).status());
    const auto& available = entry->second.available;
    const bool is_loaded = version ? available.contains(*version) : !available.empty();
    if (is_loaded) return false;
    return NotFound("model `", model, "`: version ", version.value_or(0), " not found");
  }
  const ScannedVersion* wanted = version ? nullptr : &found->versions.back();
  std::vector<std::string> numbers;
  for (const ScannedVersion& each : found->versions) {
    if (each.folder.version == version) wanted = &each;
    numbers.push_back(Cat(each.folder.version));
  }
  if (wanted == nullptr) {
    return NotFound("model `", model, "`: version ", *version,
                    " not found; versions: ", Join(numbers, ", "));
  }
  SIGNET_RETURN_IF_ERROR(wanted->folder.status);
  if (entry == models_.end()) return true;
  const auto known = entry->second.versions.find(wanted->folder.version);
  const bool has_same_files =
      known != entry->second.versions.end() && known->second.stamp.HasSameFiles(wanted->stamp);
  return !has_same_files || !IsCurrent(entry->second, known->second);
}

bool Repository::Load(std::string_view model, std::optional<int64_t> version,
                      std::function<void(Status)> done, bool dry_run) {
  if (!dry_run) return RequestLoad(model, version, /*again=*/false, std::move(done));
  StatusOr<bool> changes = PreviewLoad(model, version);
  if (done) done(changes.status());
  return changes.value_or(false);
}

void Repository::Reload(std::string_view model, std::optional<int64_t> version,
                        std::function<void(Status)> done, bool dry_run) {
  if (!dry_run) {
    RequestLoad(model, version, /*again=*/true, std::move(done));
  } else {
    const Status found = PreviewLoad(model, version).status();
    if (done) done(found);
  }
}

void Repository::LoadSelected(std::string_view model, std::function<void(Status)> done) {
  Examine(model);
  Changes changes;
  {
    std::lock_guard lock(mu_);
    auto known = FindKnown(model, std::nullopt);
    std::set<int64_t> selected;
    if (known.ok()) {
      for (auto& [number, version] : known->first->versions) {
        if (version.override == Override::kUnloaded) version.override = Override::kNone;
      }
      selected = SelectedVersions(*known->first);
    }
    if (!known.ok()) {
      changes.done.emplace_back(std::move(done), known.status());
    } else if (selected.empty()) {
      const v1::VersionPolicy& policy = known->first->settings->settings.version_policy();
      changes.done.emplace_back(
          std::move(done),
          NotFound("model `", model, "`: the version policy `", FormatVersionPolicy(policy),
                   "` selects none of the versions ", ListKeys(known->first->versions)));
    } else {
      Entry& entry = *known->first;
      auto loads = std::make_shared<JoinedLoads>(selected.size(), std::move(done));
      auto end = [loads](const Status& loaded) { loads->End(loaded); };
      for (int64_t number : selected) {
        Version& version = entry.versions.at(number);
        const bool is_made = version.folder.folder.empty();
        if ((is_made || IsCurrent(entry, version)) && !version.is_loading) {
          changes.done.emplace_back(end, absl::OkStatus());
        } else {
          version.must_load = !version.is_loading;
          version.is_requested = true;
          version.waiters.emplace_back(end);
        }
      }
      Evaluate(std::string(model), entry, changes);
    }
  }
  Complete(std::move(changes));
}

Status Repository::Unload(std::string_view model, std::optional<int64_t> version, bool dry_run) {
  Changes changes;
  {
    std::lock_guard lock(mu_);
    SIGNET_ASSIGN_OR_RETURN(auto known, FindKnown(model, version));
    if (dry_run) return absl::OkStatus();
    for (auto& [number, each] : known.first->versions) {
      if (version && *version != number) continue;
      each.override = Override::kUnloaded;
      each.must_load = false;
    }
    Evaluate(std::string(model), *known.first, changes);
    EvaluateImporters(changes);
  }
  Complete(std::move(changes));
  return absl::OkStatus();
}

Status Repository::SetLabel(std::string_view model, std::string_view label, int64_t version,
                            bool dry_run) {
  Changes changes;
  {
    std::lock_guard lock(mu_);
    auto found = models_.find(model);
    if (found == models_.end()) {
      return NotFound("model `", Printable(model), "` not found; models: ", ListKeys(models_));
    }
    if (!IsModelName(label)) {
      return InvalidArgument("model `", model,
                             "`: expected a label of at most 128 letters, digits, `_`, `-`, and "
                             "`.`; found `",
                             Printable(label), "`");
    }
    Entry& entry = found->second;
    auto known = entry.versions.find(version);
    if (known == entry.versions.end() || !known->second.status.is_servable()) {
      return FailedPrecondition(
          "model `", model, "`: label `", Printable(label), "`: version ", version,
          " is not available; available versions: ", ListKeys(entry.available));
    }
    if (dry_run) return absl::OkStatus();
    entry.labels.insert_or_assign(std::string(label), version);
    entry.admin_labels.insert_or_assign(std::string(label), version);
    changes.models.emplace_back(model);
    Evaluate(std::string(model), entry, changes);
    EvaluateImporters(changes);
  }
  Complete(std::move(changes));
  return absl::OkStatus();
}

Status Repository::RemoveLabel(std::string_view model, std::string_view label, bool dry_run) {
  Changes changes;
  {
    std::lock_guard lock(mu_);
    auto found = models_.find(model);
    if (found == models_.end()) {
      return NotFound("model `", Printable(model), "` not found; models: ", ListKeys(models_));
    }
    Entry& entry = found->second;
    auto labeled = entry.labels.find(label);
    if (dry_run || labeled == entry.labels.end()) return absl::OkStatus();
    entry.labels.erase(labeled);
    entry.admin_labels.insert_or_assign(std::string(label), std::nullopt);
    changes.models.emplace_back(model);
    Evaluate(std::string(model), entry, changes);
    EvaluateImporters(changes);
  }
  Complete(std::move(changes));
  return absl::OkStatus();
}

Status Repository::Replace(const std::shared_ptr<const LoadedModel>& expected,
                           std::shared_ptr<const LoadedModel> replacement) {
  return Publish({{expected, std::move(replacement)}}, /*captures_bytes=*/std::nullopt);
}

}  // namespace signet
