// FolderScanner: finds what has changed in one directory of models since the last scan.
//
//   FolderScanner scanner({.folder = "models"}, SystemFiles(), SystemTimers());
//   auto scan = scanner.Scan(milliseconds(0));      // everything
//   scan = scanner.Scan(seconds(5));                // what has changed
//
// 1. A model is listed if its files have changed since the last scan.
// 2. It is listed again, as stable, when its files have not changed for the settling time. A folder
//    that is being copied changes all the time, so it is not stable.
// 3. A model that has not existed for the settling time is listed as removed.
// 4. The directory may be a link. If the link leads to another place, all models have changed.
//
// A scan of a model that has not changed takes one system call per file and reads no content. Not
// thread-safe.

#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "core/serving/environment/file_system.h"
#include "core/serving/environment/timers.h"
#include "core/serving/repository/folder_stamp.h"
#include "core/serving/repository/model_folders.h"
#include "signet/status.h"

namespace signet {

// A directory of models, or the directory of one model under a name.
struct ModelSource {
  std::string name = {};  // empty: `folder` is a directory of models
  std::filesystem::path folder = {};
};

struct ScannedVersion {
  VersionFolder folder;
  FolderStamp stamp;
  bool is_stable = false;
};

struct ScannedModel {
  std::string name;
  std::filesystem::path folder;  // contains the versions and the settings
  FolderStamp settings;          // of settings.textproto; without items if it does not exist
  std::vector<ScannedVersion> versions;  // ascending
  bool is_stable = false;                // versions that are not listed have been removed
};

struct FolderScan {
  // Models that have changed or become stable. A model that was removed has no versions.
  std::vector<ScannedModel> models;
  bool is_settled = true;  // false if another scan may find that something is stable
};

class FolderScanner {
 public:
  // Refers to `files` and `timers`, of which only the time is used.
  FolderScanner(ModelSource source, const FileSystem& files, const Timers& timers)
      : source_(std::move(source)), files_(&files), timers_(&timers) {}

  const ModelSource& source() const { return source_; }
  // Lists changes. What has not changed for `settling_time` is stable; if it is 0, all is. Returns
  // NOT_FOUND, and forgets nothing, if the directory cannot be read.
  StatusOr<FolderScan> Scan(std::chrono::nanoseconds settling_time);

  // Does the same for one model only, and regards what it finds as stable. The source need not
  // contain the model.
  StatusOr<FolderScan> ScanModel(const std::string& name);

  // The entries that are not models or versions, and the directories that are one level too deep
  // or too high, as in ModelFolders.
  std::vector<std::string> Skipped() const;
  std::vector<std::string> Misplaced() const;

 private:
  using Clock = Timers::Clock;
  struct Known {
    FolderStamp quick;  // of everything that belongs to the model; without items if too recent
    ModelFolders folders;
    ScannedModel model;
    std::vector<Clock::time_point> version_times;  // since when a version has its stamp
    Clock::time_point time;                        // since when the model has its versions
    bool is_missing = false;                       // since `time`
  };

  // Returns the directory that contains the models. Forgets what is known about their files if it
  // is another one than at the last scan.
  StatusOr<std::filesystem::path> FindRoot();
  // Lists a model that does not exist, if it has not existed for the settling time. Returns the
  // next known model.
  std::map<std::string, Known>::iterator ExamineMissing(
      std::map<std::string, Known>::iterator missing, FolderScan& scan);
  // Examines a model, and adds it to `scan` if it has changed.
  void Examine(const std::filesystem::path& folder, ModelFolders folders, const std::string& name,
               FolderScan& scan);
  // Marks what has become stable, and adds the model to `scan`.
  void Settle(Known& known, FolderScan& scan);

  bool IsRecent(const FolderStamp& stamp) const;

  const ModelSource source_;
  const FileSystem* const files_;
  const Timers* const timers_;
  std::filesystem::path root_;          // the directory at the last scan, with links resolved
  std::map<std::string, Known> known_;  // models and skipped entries, by the name of the entry
  std::vector<std::string> misplaced_;  // the source itself
  std::chrono::nanoseconds settling_time_ = {};  // of the current scan
};

}  // namespace signet
