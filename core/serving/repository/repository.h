// Repository: the models of a server, and the version that a request selects.
//
// Thread-safe. A returned model stays alive while it is held, even if its version is removed.

#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "core/model/loaded_model.h"

namespace signet {

struct VersionStatus {
  enum class State : uint8_t { kLoading, kAvailable, kUnloading, kFailed };
  int64_t version = 0;
  State state = State::kLoading;
  std::string reason;  // for kFailed
};

struct ModelStatus {
  std::string name;
  std::vector<VersionStatus> versions;  // ascending
  std::map<std::string, int64_t, std::less<>> labels;
};

class Repository {
 public:
  explicit Repository(ModelOptions options);

  // Loads every version below `root` (FindModelFolders). A version that cannot be loaded is listed
  // as failed, with the reason, and does not stop the others. Returns NOT_FOUND if the directory
  // does not exist.
  Status LoadAll(const std::filesystem::path& root);
  // Returns the entries below the roots so far that are not models or versions, and why.
  std::vector<std::string> Skipped() const;
  // Returns the directories that are one level too deep or too high, and what to pass instead.
  std::vector<std::string> Misplaced() const;
  // Adds a model that was made in the program.
  void Add(std::shared_ptr<const LoadedModel> model);
  // Sets or moves a label. Returns FAILED_PRECONDITION if the version is not available.
  Status SetLabel(std::string_view model, std::string_view label, int64_t version);

  // Returns a version of a model; the newest available one if neither version nor label is set.
  // NOT_FOUND lists the models or versions. Returns FAILED_PRECONDITION, with the reason, for a
  // version that could not be loaded.
  StatusOr<std::shared_ptr<const LoadedModel>> Find(std::string_view name,
                                                    std::optional<int64_t> version = std::nullopt,
                                                    std::string_view label = "") const;
  std::vector<ModelStatus> List() const;  // sorted by name
  // Calls FunctionCache::Collect for all functions of all models.
  void CollectCaches() const;
  // Sets a function that is called with the name of a model after its status changed, without a
  // lock.
  void OnChange(std::function<void(const std::string& model)> callback);

 private:
  struct Entry {
    std::map<int64_t, std::shared_ptr<const LoadedModel>> available;
    std::map<int64_t, VersionStatus> statuses;  // of every version, available or not
    std::map<std::string, int64_t, std::less<>> labels;
  };

  // Sets the state of a version and calls the callback.
  void SetStatus(const std::string& name, VersionStatus status,
                 std::shared_ptr<const LoadedModel> model = nullptr);

  const ModelOptions options_;
  mutable std::mutex mu_;
  std::map<std::string, Entry, std::less<>> models_;   // guarded by mu_
  std::vector<std::string> skipped_;                   // guarded by mu_
  std::vector<std::string> misplaced_;                 // guarded by mu_
  std::function<void(const std::string&)> on_change_;  // guarded by mu_
};

}  // namespace signet
