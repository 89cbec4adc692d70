// The part of Repository that examines the directories, and enters what it finds.

#include <algorithm>
#include <utility>

#include "core/serving/repository/manifest.h"
#include "core/serving/repository/repository.h"

namespace signet {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostSkippedEntries = 1000;

// Reads the settings next to the versions of a model. Links may not leave the directory.
StatusOr<v1::ModelSettings> ReadSettingsIn(const FileSystem& files, const fs::path& folder) {
  const fs::path path = folder / kSettingsFile;
  const auto root = files.Resolve(folder);
  const auto real = files.Resolve(path);
  if (!real.ok()) return NotFound("cannot read the file: ", MessageOf(real.status()));
  if (!root.ok()) return NotFound("cannot read the file: ", MessageOf(root.status()));
  if (std::mismatch(root->begin(), root->end(), real->begin(), real->end()).first != root->end()) {
    return InvalidArgument("expected a link to a place inside the directory of the model");
  }
  return ReadModelSettings(files, path);
}

}  // namespace

Status Repository::Open(std::vector<ModelSource> sources) {
  {
    std::lock_guard scanning(scan_mu_);
    for (ModelSource& source : sources) scanners_.emplace_back(std::move(source), files_, timers_);
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
    if (!is_known) scanners_.emplace_back(ModelSource{.folder = root}, files_, timers_);
  }
  return Scan(std::chrono::nanoseconds(0), /*load_again=*/true).status();
}

void Repository::Rescan(std::function<void(Status)> done) {
  constexpr int kScans = 2;
  {
    std::lock_guard lock(mu_);
    if (is_watching_) {
      requested_.left = kScans;
      requested_.time = timers_.Now();
      if (done) requested_.waiters.push_back(std::move(done));
      return Advance();
    }
  }
  const Status scanned = Scan(std::chrono::nanoseconds(0), /*load_again=*/false).status();
  if (done) done(scanned);
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
  for (size_t source = 0; source < scanners_.size(); ++source) {
    FolderScanner& scanner = scanners_[source];
    auto scan = scanner.Scan(settling_time);
    if (!scan.ok()) {
      changes.events.push_back({.kind = RepositoryEvent::Kind::kScanFailed,
                                .reason = std::string(MessageOf(scan.status()))});
      failed.Update(scan.status());
      continue;
    }
    is_settled = is_settled && scan->is_settled;
    for (const ScannedModel& model : scan->models) Apply(source, model, changes);
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

void Repository::Examine(const std::string& model, Changes& changes) {
  std::lock_guard scanning(scan_mu_);
  for (size_t source = 0; source < scanners_.size(); ++source) {
    auto scan = scanners_[source].ScanModel(model);
    if (!scan.ok()) continue;  // the next poll reports it
    for (const ScannedModel& found : scan->models) Apply(source, found, changes);
  }
}

void Repository::Examine(std::string_view model) {
  std::set<std::string> names;
  {
    std::lock_guard lock(mu_);
    const auto entry = models_.find(model);
    if (entry != models_.end()) {
      for (const auto& [number, version] : entry->second.versions) {
        for (const ModelReference& reference : version.imports) names.insert(reference.name);
      }
    }
  }
  Changes changes;
  for (const std::string& name : names) Examine(name, changes);
  Examine(std::string(model), changes);
  Complete(std::move(changes));
}

std::optional<ScannedModel> Repository::Inspect(std::string_view model) const {
  std::vector<ModelSource> sources;
  {
    std::lock_guard scanning(scan_mu_);
    for (const FolderScanner& scanner : scanners_) sources.push_back(scanner.source());
  }
  for (const ModelSource& source : sources) {
    auto scan = FolderScanner(source, files_, timers_).ScanModel(std::string(model));
    if (scan.ok() && !scan->models.empty()) return std::move(scan->models.front());
  }
  return std::nullopt;
}

void Repository::Apply(size_t source, const ScannedModel& scanned, Changes& changes) {
  FolderStamp known;
  {
    std::lock_guard lock(mu_);
    auto found = models_.find(scanned.name);
    const std::pair duplicate(source, scanned.name);
    if (scanned.versions.empty()) duplicates_.erase(duplicate);
    if (found == models_.end() && scanned.versions.empty()) return;
    if (found != models_.end() && !found->second.folder.empty() && found->second.source != source) {
      if (scanned.versions.empty()) return;
      const std::string reason =
          Cat("model `", scanned.name, "` exists in two directories; the one in `",
              Printable(scanned.folder.parent_path().native()), "` is not used");
      if (!duplicates_.emplace(duplicate, reason).second) return;
      changes.events.push_back({.kind = RepositoryEvent::Kind::kScanFailed, .reason = reason});
      return;
    }
    if (found != models_.end()) known = found->second.settings_stamp;
  }
  // Files are read without the lock. The caller holds the lock of scans, so nothing else changes
  // the settings.
  std::optional<StatusOr<v1::ModelSettings>> settings;
  const bool has_new_settings = !scanned.settings.HasSameFiles(known);
  if (has_new_settings && scanned.is_stable) {
    settings = scanned.settings.items.empty() ? v1::ModelSettings()
                                              : ReadSettingsIn(files_, scanned.folder);
  }
  std::vector<bool> is_complete;
  for (const ScannedVersion& version : scanned.versions) {
    bool must_wait = has_new_settings && !scanned.is_stable;
    is_complete.push_back(
        !must_wait && (version.is_stable || MatchesManifestSizes(files_, version.folder.folder)));
  }

  std::lock_guard lock(mu_);
  Entry& entry = EntryOf(scanned.name);
  entry.folder = scanned.folder;
  entry.source = source;
  if (settings) {
    ApplySettings(scanned.name, entry, scanned.settings, *std::move(settings), changes);
  }
  if (scanned.is_stable) entry.has_read_settings = !scanned.versions.empty();
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
    const bool is_first = !entry.has_read_settings && entry.available.empty();
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

}  // namespace signet
