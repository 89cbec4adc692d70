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

bool IsRecent(const FolderStamp& stamp) {
  auto now = std::chrono::system_clock::now().time_since_epoch();
  return stamp.items.empty() || stamp.LastModified() > (now - kTick).count();
}

StatusOr<std::set<std::string>> NamesIn(const fs::path& root) {
  std::set<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(root, error), end; !error && it != end; it.increment(error)) {
    std::string name = it->path().filename().native();
    if (!name.starts_with(".")) names.insert(std::move(name));
  }
  if (error) return NotFound("cannot read the directory of models: ", error.message());
  return names;
}

FolderStamp QuickStampOf(const fs::path& folder, const ScannedModel& model) {
  FolderStamp quick = StampOfEntry(folder);
  quick.Append(model.settings);
  for (const ScannedVersion& version : model.versions) quick.Append(version.stamp);
  return quick;
}

// Returns the stamp of the settings of a model. A link to a file that does not exist has an item,
// because it is an error of the settings.
FolderStamp StampOfSettings(const fs::path& path) {
  FolderStamp stamp = StampOfEntry(path);
  std::error_code error;
  const bool exists = fs::symlink_status(path, error).type() != fs::file_type::not_found;
  if (stamp.items.empty() && exists) stamp.items.push_back({.path = path.native()});
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

StatusOr<FolderScan> FolderScanner::Scan(std::chrono::nanoseconds settling_time) {
  settling_time_ = settling_time;
  FolderScan scan;
  if (!source_.name.empty()) {
    SIGNET_ASSIGN_OR_RETURN(ModelFolders found, FindVersionFolders(source_.folder, source_.name));
    misplaced_ = found.misplaced;
    Examine(source_.folder, std::move(found), source_.name, scan);
    return scan;
  }
  SIGNET_ASSIGN_OR_RETURN(const fs::path root, FindRoot());
  SIGNET_ASSIGN_OR_RETURN(std::set<std::string> names, NamesIn(root));
  if (known_.empty()) {
    // The source may be one model, which is reported instead of its versions.
    SIGNET_ASSIGN_OR_RETURN(misplaced_, FindMisplacedRoot(root));
    if (!misplaced_.empty()) return scan;
  }
  for (const std::string& name : names) {
    auto known = known_.find(name);
    if (known != known_.end() && !known->second.is_missing && !known->second.quick.items.empty() &&
        known->second.quick.IsCurrent()) {
      Settle(known->second, scan);
    } else {
      Examine(root / name, FindModelFolder(root, name), name, scan);
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
    SIGNET_ASSIGN_OR_RETURN(misplaced_, FindMisplacedRoot(root));
    if (!misplaced_.empty()) return scan;
  }
  std::error_code error;
  const auto known = known_.find(name);
  if (fs::exists(fs::symlink_status(root / name, error))) {
    Examine(root / name, FindModelFolder(root, name), name, scan);
  } else if (known != known_.end()) {
    ExamineMissing(known, scan);
  }
  // If the link to the directory was changed meanwhile, files of the old place may have
  // disappeared.
  return fs::canonical(source_.folder, error) == root ? scan : ScanModel(name);
}

StatusOr<fs::path> FolderScanner::FindRoot() {
  std::error_code error;
  fs::path root = fs::canonical(source_.folder, error);
  if (error || !fs::is_directory(root, error)) {
    return NotFound("directory of models `", Printable(source_.folder.native()), "` not found");
  }
  if (root != root_) {
    for (auto& [name, known] : known_) known.quick = {};
    root_ = root;
  }
  return root;
}

std::map<std::string, FolderScanner::Known>::iterator FolderScanner::ExamineMissing(
    std::map<std::string, Known>::iterator missing, FolderScan& scan) {
  Known& known = missing->second;
  if (!known.is_missing) {
    known.is_missing = true;
    known.time = Clock::now();
  }
  if (Clock::now() - known.time < settling_time_) {
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
  model.settings = StampOfSettings(folder / kSettingsFile);
  const auto now = Clock::now();
  bool has_rejected = false;
  Known& known = known_[name];
  std::vector<Clock::time_point> times;
  for (VersionFolder& version : folders.versions) {
    ScannedVersion& scanned = model.versions.emplace_back();
    scanned.folder = version;
    // Links of a version that is rejected may lead anywhere, so they are not followed.
    const bool is_safe = version.status.ok();
    scanned.stamp = is_safe ? StampOf(version.folder) : StampOfEntry(version.folder);
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
  known.quick = QuickStampOf(folder, known.model);
  if (has_rejected || IsRecent(known.quick)) known.quick = {};
  const size_t listed = scan.models.size();
  Settle(known, scan);
  if (has_changed && scan.models.size() == listed) scan.models.push_back(known.model);
}

void FolderScanner::Settle(Known& known, FolderScan& scan) {
  if (known.model.is_stable) return;
  const auto now = Clock::now();
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
