#include "core/serving/repository/folder_scanner.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace signet {
namespace {

namespace fs = std::filesystem;

// File systems store times in ticks of some milliseconds. A change in the tick of the last scan
// does not show in the times, so recent times are not trusted.
constexpr std::chrono::nanoseconds kTick = std::chrono::milliseconds(100);

StatusOr<std::set<std::string>> NamesIn(const FileSystem& files, const fs::path& root) {
  auto listed = files.List(root);
  if (!listed.ok()) {
    return NotFound("cannot read the directory of models: ", MessageOf(listed.status()));
  }
  std::set<std::string> names;
  for (std::string& name : *listed) {
    if (!name.starts_with(".")) names.insert(std::move(name));
  }
  return names;
}

FolderStamp QuickStampOf(const FileSystem& files, const fs::path& folder,
                         const ScannedModel& model) {
  FolderStamp quick = StampOfEntry(files, folder);
  quick.Append(model.settings);
  for (const ScannedVersion& version : model.versions) quick.Append(version.stamp);
  return quick;
}

// Returns the stamp of the settings of a model. A link to a file that does not exist has an item,
// because it is an error of the settings.
FolderStamp StampOfSettings(const FileSystem& files, const fs::path& path) {
  FolderStamp stamp = StampOfEntry(files, path);
  if (stamp.items.empty() && files.IsLink(path)) stamp.items.push_back({.path = path.native()});
  return stamp;
}

bool HasSameVersions(const ScannedModel& a, const ScannedModel& b) {
  return a.settings.HasSameFiles(b.settings) &&
         std::equal(a.versions.begin(), a.versions.end(), b.versions.begin(), b.versions.end(),
                    [](const ScannedVersion& x, const ScannedVersion& y) {
                      return x.folder.version == y.folder.version &&
                             x.folder.status == y.folder.status && x.stamp.HasSameFiles(y.stamp);
                    });
}

}  // namespace

bool FolderScanner::IsRecent(const FolderStamp& stamp) const {
  const auto now = timers_->WallTime().time_since_epoch();
  return stamp.items.empty() || stamp.LastModified() > (now - kTick).count();
}

StatusOr<FolderScan> FolderScanner::Scan(std::chrono::nanoseconds settling_time) {
  settling_time_ = settling_time;
  FolderScan scan;
  if (!source_.name.empty()) {
    SIGNET_ASSIGN_OR_RETURN(ModelFolders found,
                            FindVersionFolders(*files_, source_.folder, source_.name));
    misplaced_ = found.misplaced;
    Examine(source_.folder, std::move(found), source_.name, scan);
    return scan;
  }
  SIGNET_ASSIGN_OR_RETURN(const fs::path root, FindRoot());
  SIGNET_ASSIGN_OR_RETURN(std::set<std::string> names, NamesIn(*files_, root));
  if (known_.empty()) {
    // The source may be one model, which is reported instead of its versions.
    SIGNET_ASSIGN_OR_RETURN(misplaced_, FindMisplacedRoot(*files_, root));
    if (!misplaced_.empty()) return scan;
  }
  for (const std::string& name : names) {
    auto known = known_.find(name);
    if (known != known_.end() && !known->second.is_missing && !known->second.quick.items.empty() &&
        known->second.quick.IsCurrent(*files_)) {
      Settle(known->second, scan);
    } else {
      Examine(root / name, FindModelFolder(*files_, root, name), name, scan);
    }
  }
  for (auto it = known_.begin(); it != known_.end();) {
    it = names.contains(it->first) ? std::next(it) : ExamineMissing(it, scan);
  }
  return scan;
}

StatusOr<FolderScan> FolderScanner::ScanModel(const std::string& name) {
  FolderScan scan;
  if (!source_.name.empty() && source_.name != name) return scan;
  if (!source_.name.empty()) return Scan(std::chrono::nanoseconds(0));
  if (!IsModelName(name)) return scan;
  settling_time_ = {};
  SIGNET_ASSIGN_OR_RETURN(const fs::path root, FindRoot());
  if (known_.empty()) {
    SIGNET_ASSIGN_OR_RETURN(misplaced_, FindMisplacedRoot(*files_, root));
    if (!misplaced_.empty()) return scan;
  }
  const auto known = known_.find(name);
  if (files_->Exists(root / name)) {
    Examine(root / name, FindModelFolder(*files_, root, name), name, scan);
  } else if (known != known_.end()) {
    ExamineMissing(known, scan);
  }
  // If the link to the directory was changed meanwhile, files of the old place may have
  // disappeared.
  const auto now = files_->Resolve(source_.folder);
  return now.ok() && *now == root ? scan : ScanModel(name);
}

StatusOr<fs::path> FolderScanner::FindRoot() {
  auto root = files_->Resolve(source_.folder);
  if (!root.ok() || !files_->IsFolder(*root)) {
    return NotFound("directory of models `", Printable(source_.folder.native()), "` not found");
  }
  if (*root != root_) {
    for (auto& [name, known] : known_) known.quick = {};
    root_ = *root;
  }
  return root;
}

std::map<std::string, FolderScanner::Known>::iterator FolderScanner::ExamineMissing(
    std::map<std::string, Known>::iterator missing, FolderScan& scan) {
  Known& known = missing->second;
  if (!known.is_missing) {
    known.is_missing = true;
    known.time = timers_->Now();
  }
  if (timers_->Now() - known.time < settling_time_) {
    scan.is_settled = false;
    return std::next(missing);
  }
  // Also if the last scan found no versions: it may have seen a directory that was being removed.
  ScannedModel& gone = scan.models.emplace_back();
  gone.name = missing->first;
  gone.folder = known.model.folder;
  gone.is_stable = true;
  return known_.erase(missing);
}

void FolderScanner::Examine(const fs::path& folder, ModelFolders folders, const std::string& name,
                            FolderScan& scan) {
  ScannedModel model;
  model.name = name;
  model.folder = folder;
  model.settings = StampOfSettings(*files_, folder / kSettingsFile);
  const auto now = timers_->Now();
  bool has_rejected = false;
  Known& known = known_[name];
  std::vector<Clock::time_point> times;
  for (VersionFolder& version : folders.versions) {
    ScannedVersion& scanned = model.versions.emplace_back();
    scanned.folder = version;
    // Links of a version that is rejected may lead anywhere, so they are not followed.
    const bool is_safe = version.status.ok();
    scanned.stamp =
        is_safe ? StampOf(*files_, version.folder) : StampOfEntry(*files_, version.folder);
    has_rejected = has_rejected || !is_safe;
    times.push_back(now);
    for (size_t i = 0; i < known.model.versions.size(); ++i) {
      const ScannedVersion& before = known.model.versions[i];
      if (before.folder.version != version.version) continue;
      if (!before.stamp.HasSameFiles(scanned.stamp)) continue;
      scanned.is_stable = before.is_stable;
      times.back() = known.version_times[i];
    }
  }
  const bool is_new = known.time == Clock::time_point();
  const bool has_changed = is_new || known.is_missing || !HasSameVersions(model, known.model);
  model.is_stable = !has_changed && known.model.is_stable;
  if (has_changed) known.time = now;
  known.is_missing = false;
  known.folders = std::move(folders);
  known.model = std::move(model);
  known.version_times = std::move(times);
  known.quick = QuickStampOf(*files_, folder, known.model);
  if (has_rejected || IsRecent(known.quick)) known.quick = {};
  const size_t listed = scan.models.size();
  Settle(known, scan);
  if (has_changed && scan.models.size() == listed) scan.models.push_back(known.model);
}

void FolderScanner::Settle(Known& known, FolderScan& scan) {
  if (known.model.is_stable) return;
  const auto now = timers_->Now();
  bool has_changed = false;
  for (size_t i = 0; i < known.model.versions.size(); ++i) {
    ScannedVersion& version = known.model.versions[i];
    if (version.is_stable) continue;
    version.is_stable = now - known.version_times[i] >= settling_time_;
    has_changed = has_changed || version.is_stable;
    if (!version.is_stable) scan.is_settled = false;
  }
  known.model.is_stable = now - known.time >= settling_time_;
  if (!known.model.is_stable) scan.is_settled = false;
  if (has_changed || known.model.is_stable) scan.models.push_back(known.model);
}

std::vector<std::string> FolderScanner::Skipped() const {
  std::vector<std::string> out;
  for (const auto& [name, known] : known_) {
    out.insert(out.end(), known.folders.skipped.begin(), known.folders.skipped.end());
  }
  return out;
}

std::vector<std::string> FolderScanner::Misplaced() const {
  std::vector<std::string> out = misplaced_;
  for (const auto& [name, known] : known_) {
    out.insert(out.end(), known.folders.misplaced.begin(), known.folders.misplaced.end());
  }
  return out;
}

}  // namespace signet
