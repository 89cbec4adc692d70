// Repository: the models of a folder, `name/version/...`, and which version a request means.
//
// Thread-safe. A model handed out stays alive as long as it is held, whatever becomes of its
// version.

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
  std::string reason;  // of kFailed
};

struct ModelStatus {
  std::string name;
  std::vector<VersionStatus> versions;  // ascending
  std::map<std::string, int64_t, std::less<>> labels;
};

class Repository {
 public:
  explicit Repository(ModelOptions options);

  // Loads every version under `root` (names and versions that are not plain are refused, links out
  // of the root too). One that fails is kept as failed, with its reason, and does not stop the
  // others. NOT_FOUND when there is no such folder.
  Status LoadAll(const std::filesystem::path& root);
  // Entries under the roots so far that are no models or versions, and why.
  std::vector<std::string> Skipped() const;
  // Folders under the roots so far that are one level too deep or too high, and what to pass.
  std::vector<std::string> Misplaced() const;
  // Adds a model that was made in the program.
  void Add(std::shared_ptr<const LoadedModel> model);
  // FAILED_PRECONDITION unless that version is available. Moves a label that exists.
  Status SetLabel(std::string_view model, std::string_view label, int64_t version);

  // Neither version nor label: the newest available. NOT_FOUND lists models or versions;
  // FAILED_PRECONDITION for a version that failed to load, with its reason.
  StatusOr<std::shared_ptr<const LoadedModel>> Find(std::string_view name,
                                                    std::optional<int64_t> version = std::nullopt,
                                                    std::string_view label = "") const;
  std::vector<ModelStatus> List() const;  // sorted by name
  // As FunctionCache::Collect, for all functions of all models.
  void CollectCaches() const;
  // Called with a model's name after its status changed, outside any lock.
  void OnChange(std::function<void(const std::string& model)> callback);

 private:
  struct Entry {
    std::map<int64_t, std::shared_ptr<const LoadedModel>> available;
    std::map<int64_t, VersionStatus> statuses;  // of every version, available or not
    std::map<std::string, int64_t, std::less<>> labels;
  };

  // Sets the state of a version and tells the callback.
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
