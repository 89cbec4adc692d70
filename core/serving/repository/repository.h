// Repository: the models of a server, and the version that a request selects.
//
//   Repository repository(options);
//   repository.Open({{.folder = "models"}});   // loads what exists
//   repository.Watch(seconds(5));              // loads and unloads what changes
//   ...
//   auto model = repository.Find("recipes");
//
// Life of a version:
//   1. A new or changed version is loaded when its files are stable (folder_scanner.h), or match
//      their manifest (manifest.h). It is warmed up and then published. Only then are the versions
//      that it replaces removed. If a load fails, they remain, and the load is repeated with
//      back-off when the files change.
//   2. If the directory of a version disappears, the version is served until the version that the
//      policy selects instead is available. If no version can be loaded instead, it remains.
//   3. A removed version is unloading until the last call that uses it has ended. Then its memory
//      is freed, and it is no longer listed.
//   4. A version that is loaded on demand is loaded at its first call. If memory is needed, the
//      versions of this kind that were used least recently are unloaded.
//   5. A version that imports another one has the content of the imported version that is served,
//      with its captures. If the imported version is not loaded, it has the content of its files.
//      While the files of an imported version have changed and are not loaded, the importing
//      version is not loaded again.
//
// Loads run on threads of the repository with a low priority, and never hold the lock that requests
// take. Before Watch, everything runs on the calling thread. Nothing waits for a lock longer than a
// decision takes, and no thread waits for a time: what has to wait is a task that a timer starts.
// Time, files, threads, and the making of models are parameters (RepositoryEnvironment).
// Thread-safe. A returned model stays alive while it is held, even if its version is removed.

#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "core/model/loaded_model.h"
#include "core/model/native/replace_captures.h"
#include "core/runtime/thread_pool.h"
#include "core/serving/environment/file_system.h"
#include "core/serving/environment/timers.h"
#include "core/serving/environment/wakeup.h"
#include "core/serving/repository/folder_scanner.h"
#include "core/serving/repository/model_maker.h"
#include "core/serving/repository/model_settings.h"
#include "signet/v1/settings.pb.h"

namespace signet {

struct VersionStatus {
  enum class State : uint8_t { kLoading, kAvailable, kUnloading, kFailed, kNotLoaded };
  int64_t version = 0;
  State state = State::kLoading;
  // For kFailed and kNotLoaded. For kAvailable, why earlier content is served, or why the version
  // is still served although its directory was removed.
  std::string reason = {};
  std::string progress = {};  // the step of a load, such as `warming up`; empty if there is none
  int64_t memory_bytes = 0;   // estimated; 0 unless the version is in memory
  bool is_on_demand = false;  // loaded at the first call

  // Returns true if a call of this version is not rejected.
  bool is_servable() const {
    return state == State::kAvailable || (state == State::kNotLoaded && is_on_demand);
  }
};

struct ModelStatus {
  std::string name;
  std::vector<VersionStatus> versions;  // ascending
  std::map<std::string, int64_t, std::less<>> labels;
  std::shared_ptr<const EffectiveSettings> settings = {};
  std::string settings_error = {};    // why the current settings.textproto is not used; or empty
  std::filesystem::path folder = {};  // with the versions; empty for a model of the program
};

// A model that a request selected, with the settings that were in effect then.
struct ServedModel {
  std::shared_ptr<const LoadedModel> model;
  std::shared_ptr<const EffectiveSettings> settings;
};

// Something that an operator may want to know.
struct RepositoryEvent {
  enum class Kind : uint8_t {
    kLoaded,            // `milliseconds` is the time of the load
    kLoadFailed,        // `reason` says why
    kUnloading,         // removed; calls may still use it
    kUnloaded,          // its memory is free
    kSettingsApplied,   // settings.textproto was read; `version` is 0
    kSettingsRejected,  // `reason` says why
    kScanFailed,        // a directory of models cannot be read; `model` is empty
    kCapturesReplaced,  // the version was not loaded again
    kFreed,             // earlier content of a version; its memory is free
  };
  Kind kind = Kind::kLoaded;
  std::string model = {};
  int64_t version = 0;
  std::string reason = {};
  int64_t milliseconds = 0;
  bool is_on_demand = false;  // such events may be frequent
};

// What a repository takes from the system. Everything must outlive the repository.
struct RepositoryEnvironment {
  // Runs a task later, on a thread.
  using Runner = std::function<void(std::function<void()> task)>;

  Timers* timers = &SystemTimers();
  const FileSystem* files = &SystemFiles();
  ModelMaker* maker = nullptr;  // null: a FileModelMaker
  // Runs examinations of directories, loads, and replacements of captures. Null: threads of the
  // repository, which it starts in Watch.
  Runner run = nullptr;
};

struct RepositoryOptions {
  ModelOptions model = {};
  v1::ModelSettings flags = {};  // the settings that flags of the server state
  int64_t memory_bytes = 0;      // of all models together; 0: no limit
  int load_threads = 1;
  // Makes the calls of a warm-up. `folder` is the directory of the version. Null: no warm-up.
  std::function<Status(const std::shared_ptr<const LoadedModel>& model,
                       const std::filesystem::path& folder, const v1::ModelSettings& settings,
                       const std::atomic<bool>& cancelled)>
      warm_up = {};
  RepositoryEnvironment environment = {};
};

class Repository {
 public:
  using State = VersionStatus::State;
  // The time between the two examinations of Rescan.
  static constexpr std::chrono::seconds kRescanTime{1};

  explicit Repository(ModelOptions options);
  explicit Repository(RepositoryOptions options);
  ~Repository();  // stops watching
  Repository(const Repository&) = delete;
  Repository& operator=(const Repository&) = delete;

  // Loads the versions below these directories, on the calling thread, without waiting until files
  // are stable. A version that cannot be loaded is listed as failed, with the reason, and does not
  // stop the others. Returns NOT_FOUND if a directory does not exist.
  Status Open(std::vector<ModelSource> sources);
  // Does the same for one directory of models. If it was loaded before, loads all versions again.
  Status LoadAll(const std::filesystem::path& root);
  // Returns the entries below the roots that are not models or versions, and why.
  std::vector<std::string> Skipped() const;
  // Returns the directories that are one level too deep or too high, and what to pass instead.
  std::vector<std::string> Misplaced() const;
  // Adds a model that was made in the program. It has no settings file, and is never removed.
  void Add(std::shared_ptr<const LoadedModel> model);

  // Starts the threads, which examine the directories every `interval`; 0: only when Rescan is
  // called.
  void Watch(std::chrono::milliseconds interval);
  // Stops the threads, after the load that is running.
  void StopWatching();

  // --- Administration. Every call is idempotent. With `dry_run`, a call changes nothing, and
  // returns what it would return. `version` absent: see each call.

  // Examines the directories now, on a thread of the repository. What changes between two
  // examinations one second apart is not loaded yet, so this takes up to a second. `done`, which
  // may be null, is called once; the loads that were found may still run then. Before Watch,
  // regards what it finds as stable, and ends before this returns.
  void Rescan(std::function<void(Status)> done = nullptr);
  // Examines the directories of a model and of the models that it imports now, and regards what it
  // finds as stable.
  void Examine(std::string_view model);
  // Loads a version (absent: the newest in the directory), even if no policy selects it, and keeps
  // it until Unload. A failed version is tried again at once. `done`, which may be null, is called
  // once, when the version is available or has failed, on any thread, before or after this returns.
  // Returns true if the version was not available with the content of its files.
  //
  // Load, LoadSelected, and Reload first call Examine.
  bool Load(std::string_view model, std::optional<int64_t> version,
            std::function<void(Status)> done = nullptr, bool dry_run = false);
  // Loads the versions that the version policy and the labels select, and forgets earlier calls of
  // Unload. `done` has the first error, and otherwise is as in Load.
  void LoadSelected(std::string_view model, std::function<void(Status)> done);
  // Unloads a version (absent: all versions) and keeps it unloaded until Load. Returns NOT_FOUND if
  // the model or the version is not known. List shows when the memory is free.
  Status Unload(std::string_view model, std::optional<int64_t> version, bool dry_run = false);
  // Loads a version (absent: all available versions, or else the newest one) from its files again,
  // although they have not changed, and replaces it. `done` as in LoadSelected.
  void Reload(std::string_view model, std::optional<int64_t> version,
              std::function<void(Status)> done = nullptr, bool dry_run = false);
  // Sets or moves a label. Returns FAILED_PRECONDITION if the version is not available. The label
  // takes precedence over the settings until their label changes.
  Status SetLabel(std::string_view model, std::string_view label, int64_t version,
                  bool dry_run = false);
  // Removes a label, also one of the settings. OK if there is no such label.
  Status RemoveLabel(std::string_view model, std::string_view label, bool dry_run = false);
  // Replaces a version that is available, for example with new captures. The old one is freed when
  // no call uses it. Returns NOT_FOUND if this version is not available, and ABORTED if it is no
  // longer `expected`.
  Status Replace(const std::shared_ptr<const LoadedModel>& expected,
                 std::shared_ptr<const LoadedModel> replacement);

  // Replaces the captures of a version with the tensors in a file (ReplaceCaptures), after a
  // warm-up. Versions that import this version receive the captures at the same moment. Calls
  // `persist`, which may be null, before the new captures are published. `done` is called once, on
  // a thread of the repository (before Watch: before this returns). It has the errors of
  // ReplaceCaptures, Replace, `persist`, and the warm-up, also for the importing versions.
  void ReplaceCaptures(std::shared_ptr<const LoadedModel> expected, std::filesystem::path captures,
                       std::function<Status()> persist,
                       std::function<void(StatusOr<ReplacedCaptures>)> done);

  // --- Requests.

  // Returns a version of a model; the newest available one if neither version nor label is set.
  // NOT_FOUND lists the models or versions. Returns FAILED_PRECONDITION, with the reason, for a
  // version that could not be loaded, and UNAVAILABLE for one that is being loaded. For a version
  // that must be loaded first, returns UNAVAILABLE with reason LOADED_ON_DEMAND.
  StatusOr<std::shared_ptr<const LoadedModel>> Find(std::string_view name,
                                                    std::optional<int64_t> version = std::nullopt,
                                                    std::string_view label = "") const;
  // Does the same, and returns the effective settings, too.
  StatusOr<ServedModel> FindServed(std::string_view name,
                                   std::optional<int64_t> version = std::nullopt,
                                   std::string_view label = "") const;
  // Loads a version after Find returned LOADED_ON_DEMAND. Calls `done` once, on any thread, before
  // or after this returns. Find may then succeed; the version may have been unloaded again.
  void LoadOnDemand(std::string_view name, std::optional<int64_t> version, std::string_view label,
                    std::function<void(Status)> done);

  std::vector<ModelStatus> List() const;  // sorted by name
  // Returns the status of one model, or nothing if it is not known.
  std::optional<ModelStatus> StatusOf(std::string_view model) const;
  // Returns the estimated memory of all versions that are in memory, in bytes.
  int64_t memory_bytes() const;
  // Returns all available versions. Does not count as a use of versions that are loaded on demand.
  std::vector<std::shared_ptr<const LoadedModel>> AvailableModels() const;
  // Calls FunctionCache::Collect for all functions of all models.
  void CollectCaches() const;
  // Sets a function that is called with the name of a model after its status changed, without a
  // lock.
  void OnChange(std::function<void(const std::string& model)> callback);
  // Sets a function that is called after each event, without a lock.
  void OnEvent(std::function<void(const RepositoryEvent& event)> callback);
  // Returns true if no load is waiting or running, and nothing is unloading.
  bool IsSettled() const;
  // Blocks until IsSettled. Returns false after `time`.
  bool WaitUntilSettled(std::chrono::milliseconds time) const;

 private:
  using Clock = Timers::Clock;
  using Model = std::shared_ptr<const LoadedModel>;
  // The beginning of the reason of a version whose changed files could not be loaded.
  static constexpr char kEarlierContent[] = "the earlier content is served: ";
  enum class Override : uint8_t { kNone, kLoaded, kUnloaded };  // what the administrator requested

  struct Version {
    VersionFolder folder;  // with an empty path for a model of the program
    FolderStamp stamp;
    bool is_found = false;   // in the directory, or made in the program
    bool is_stable = false;  // its files are complete
    VersionStatus status;
    Override override = Override::kNone;
    bool must_load = false;     // even if the files have not changed
    bool is_requested = false;  // by an administrator, since the last load
    bool is_loading = false;    // waits for a thread or is being loaded
    bool was_evicted = false;   // unloaded because other models needed the memory
    bool is_wanted = false;     // a call waits for it
    FolderStamp tried;          // the files of the last load that began
    // The models that the last load imported, or tried to import.
    std::vector<ModelReference> imports;
    FolderStamp loaded;  // the files of the last load that succeeded
    // The models that the last successful load imported, and their files.
    std::vector<ModelReference> loaded_imports;
    FolderStamp loaded_content;
    uint64_t captures_revision = 0;  // of captures that replaced those of the files; or 0
    std::string loaded_limits;       // the limits with which it was loaded
    FolderStamp failed;              // the files of the last load that failed, with imports
    int failures = 0;                // in a row
    std::string failure;             // why the last load failed
    bool may_retry = false;          // the last failure may not occur again with the same files
    Clock::time_point retry_at;      // after a failure
    mutable uint64_t last_use = 0;   // of an on-demand version
    std::vector<std::function<void(Status)>> waiters;
  };
  struct Entry {
    std::filesystem::path folder;  // empty for a model of the program
    size_t source = 0;             // the index of its scanner
    std::map<int64_t, Model> available;
    std::map<int64_t, Version> versions;  // every version, available or not
    std::map<std::string, int64_t, std::less<>> labels;
    // Labels that the administrator set, or removed (absent).
    std::map<std::string, std::optional<int64_t>, std::less<>> admin_labels;
    FolderStamp settings_stamp;
    v1::ModelSettings file_settings;  // the last good settings
    bool has_read_settings = false;   // or found that there is no file
    bool has_good_settings = true;    // false until the first good settings, if there is a file
    std::string settings_error;
    std::shared_ptr<const EffectiveSettings> settings;
    bool is_on_demand = false;
  };
  struct Retired {
    std::string name;
    int64_t version = 0;
    Model model;
    int64_t bytes = 0;
  };
  using Key = std::pair<std::string, int64_t>;
  // What happened while the lock was held, for callbacks without the lock.
  struct Changes {
    std::vector<std::string> models;
    std::vector<RepositoryEvent> events;
    std::vector<std::pair<std::function<void(Status)>, Status>> done;
    std::vector<Model> released;
  };
  // What one load imports; at its beginning, what the last one did.
  struct ImportRecord {
    std::vector<ModelReference> imports;
    FolderStamp stamp;       // the content of the imports
    bool must_wait = false;  // until an import is loaded
  };
  // One load. It holds all that it needs, so that it runs without the lock.
  struct Job {
    Key key;
    bool is_wanted = false;  // a call waits for it
    std::shared_ptr<ImportRecord> record;
    VersionFolder folder;
    FolderStamp stamp;
    std::shared_ptr<const EffectiveSettings> settings;
    std::string limits;
    int64_t bytes = 0;  // counted in memory_bytes_
    Clock::time_point start;
    // The version that is available, if any, and the files and limits of its load. If only its
    // captures have changed, they are replaced.
    Model current;
    FolderStamp loaded;  // with imports
    std::string loaded_limits;
    bool is_requested = false;           // by an administrator: imported models are examined, too
    bool has_replaced_captures = false;  // set by the load: everything else is that of `current`
    bool files_changed = false;          // since the examination that found them; set by the load
    bool has_ended = false;
  };
  // A load or replacement that waits until there is room for its memory.
  struct Reservation {
    std::string what;  // the beginning of the error
    int64_t bytes = 0;
    Clock::time_point end;
    std::function<void(Status)> done;
  };
  // Requests of Rescan.
  struct RequestedScans {
    int left = 0;  // scans to make; the second one finds what is stable
    Clock::time_point time;
    std::vector<std::function<void(Status)>> waiters;
  };

  // Calls the callbacks. Without the lock.
  void Notify(Changes changes);
  // Frees and notifies, and runs the loads that wait if there are no threads. Without the lock.
  void Complete(Changes changes);

  struct FoundImport {
    Key key;
    const Entry* entry = nullptr;
    const Version* version = nullptr;
  };
  // A version that replaces an available one.
  struct Replacement {
    Model expected;
    Model model;
  };
  // One call of ReplaceCaptures.
  struct CapturesChange {
    Model expected;
    std::filesystem::path captures;
    std::function<Status()> persist;
    std::function<void(StatusOr<ReplacedCaptures>)> done;
    int64_t bytes = 0;  // counted in memory_bytes_
    ReplacedCaptures replaced;
    std::vector<std::pair<Key, Model>> importers;
    std::vector<Replacement> replacements;
    bool has_ended = false;
  };

  // Scans the sources. What has not changed for `settling_time` is stable. Returns false if another
  // scan may find more.
  StatusOr<bool> Scan(std::chrono::nanoseconds settling_time, bool load_again);
  StatusOr<bool> ScanSources(std::chrono::nanoseconds settling_time, bool load_again,
                             Changes& changes);
  // Examines the directories of a model, and regards what it finds as stable.
  void Examine(const std::string& model, Changes& changes);
  // Returns what is in the directory of a model now, or nothing if there is none. Changes nothing.
  std::optional<ScannedModel> Inspect(std::string_view model) const;
  // Enters what a scan of the scanner `source` has found. Without the lock.
  void Apply(size_t source, const ScannedModel& scanned, Changes& changes);
  void ApplySettings(const std::string& name, Entry& entry, const FolderStamp& stamp,
                     StatusOr<v1::ModelSettings> settings, Changes& changes);

  // Decides what to load and unload. With the lock, as the functions below.
  void Evaluate(const std::string& name, Entry& entry, Changes& changes);
  std::set<int64_t> SelectedVersions(const Entry& entry) const;
  bool NeedsLoad(const Key& key, const Entry& entry, const Version& version);
  // Decides for the models that import other ones, after any model has changed.
  void EvaluateImporters(Changes& changes);
  StatusOr<FoundImport> FindImport(const ModelReference& reference) const;
  // Returns true if one of `imports` is the version `key`.
  bool Imports(const std::vector<ModelReference>& imports, const Key& key) const;
  // Returns the first import that the files of a version have, as far as they are known, for which
  // a load has to wait. The imports of files that no load has read are not known.
  std::optional<FoundImport> PendingImport(const Key& key, const Version& version) const;
  // Returns true if a load of the import runs or will run without a further change.
  bool WillBeLoaded(const FoundImport& import) const;
  // Returns the first of `imports` for which a load of `key` has to wait: its files are changing,
  // or earlier content of it is served. Returns nothing if there is none.
  std::optional<FoundImport> PendingImport(const Key& key,
                                           const std::vector<ModelReference>& imports) const;
  // Returns true if a load of the version that was requested waits for the load of an import.
  bool AwaitsImport(const Key& key, const Version& version) const;
  // Returns the directory of a version, and the captures that it serves.
  static ImportedVersion ContentOf(const FoundImport& import);
  // Returns the available versions that import the version `key`.
  std::vector<std::pair<Key, Model>> ImportersOf(const Key& key) const;
  // Returns the versions among ImportersOf(key) that are current (see IsCurrent).
  std::vector<Version*> CurrentImportersOf(const Key& key);
  // Returns the files whose content an importing version gets.
  static FolderStamp StampOfContent(const FoundImport& import);
  // Returns the content of the versions that exist.
  FolderStamp StampOfImports(const std::vector<ModelReference>& imports) const;
  // Returns the files of a version, and the content of what it imports.
  FolderStamp StampWithImports(const Version& version) const;
  // Returns true if the version is available, and its content is that of its files and imports.
  bool IsCurrent(const Entry& entry, const Version& version) const;
  // Returns true if it is also loaded with the current settings.
  bool IsLoaded(const Entry& entry, const Version& version) const;
  // Sets the reason of a version that is available: why it has earlier content, if it does.
  void ExplainContent(const Key& key, const Entry& entry, Version& version, Changes& changes);
  // Enters that the captures of a model were written into its directory as `file`, so that they are
  // not loaded from there.
  void NotePersisted(const Model& model, const FolderStamp& file);
  // Returns true if files of an import are not those that were known when the load found it.
  // Without the lock.
  bool HaveImportsChanged(const ImportRecord& record) const;
  // Returns true if an import that is served has other content than at the time of the load.
  bool WasImportReplaced(const ImportRecord& record) const;
  // Makes the calls of the warm-up of a model with files.
  Status WarmUp(const Model& model) const;
  // The steps of ReplaceCaptures: makes the new model, then what replaces the versions that import
  // it, one after the other, and publishes all of them.
  void BeginChange(const std::shared_ptr<CapturesChange>& change);
  void NoteReplaced(const std::shared_ptr<CapturesChange>& change, ReplacedCaptures replaced);
  void ReplaceNextImporter(const std::shared_ptr<CapturesChange>& change);
  Status PublishChange(CapturesChange& change);
  void EndChange(CapturesChange& change, const Status& outcome);
  // Replaces versions at the same moment. Has the errors of Replace. If only the captures of the
  // first version differ, the other replacements are the versions that import it, and
  // `captures_bytes` is their memory, which is reserved; if this succeeds, the old captures have
  // it.
  Status Publish(std::vector<Replacement> replacements, std::optional<int64_t> captures_bytes);
  void RemoveSurplus(const std::string& name, Entry& entry, const std::set<int64_t>& selected,
                     Changes& changes);
  void MoveLabels(Entry& entry);
  void SetState(const std::string& name, Version& version, State state, std::string reason,
                Changes& changes);
  void Enqueue(const std::string& name, Version& version, Changes& changes);
  // Removes a version from the available ones.
  void Retire(const std::string& name, Entry& entry, int64_t number, Changes& changes);
  // Frees retired versions that nothing uses.
  void FreeRetired(Changes& changes);
  // Unloads on-demand versions until `bytes` fit, as far as possible.
  void Evict(int64_t bytes, Changes& changes);
  bool IsRetiring(const std::string& name, int64_t number) const;
  Entry& EntryOf(const std::string& name);
  StatusOr<std::pair<Entry*, Version*>> FindKnown(std::string_view model,
                                                  std::optional<int64_t> version);
  ModelStatus StatusOf(const std::string& name, const Entry& entry) const;
  // Resolves a request. On success, the version is available or loaded on demand.
  StatusOr<int64_t> Resolve(std::string_view name, const Entry& entry,
                            std::optional<int64_t> version, std::string_view label) const;
  StatusOr<const Entry*> FindEntry(std::string_view name) const;

  // The steps of a load, without the lock. Each one begins the next one, or EndLoad.
  void BeginLoad(const Key& key, bool is_wanted);
  void CheckFiles(const std::shared_ptr<Job>& job);
  void MakeModel(const std::shared_ptr<Job>& job);
  void ReadModel(const std::shared_ptr<Job>& job);
  void CheckModel(const std::shared_ptr<Job>& job, Model model);
  void EndLoad(const std::shared_ptr<Job>& job, StatusOr<Model> model);
  // Runs a step. If it returns an error or throws, the load ends with this error.
  void RunStep(const std::shared_ptr<Job>& job, absl::FunctionRef<Status()> step);
  // Enters that a load ends which did not begin. With the lock.
  void ForgetLoad(const Key& key, Changes& changes);
  ModelFinder FinderOf(const Job& job);
  // Adds `bytes` to memory_bytes_. Unloads models that were loaded on demand if that is necessary,
  // and waits for them. RESOURCE_EXHAUSTED, with a message that begins with `what`, if there is no
  // room. Calls `done` once, on the calling thread or on one of the repository.
  void Reserve(std::string what, int64_t bytes, std::function<void(Status)> done);
  // Returns the outcome, or nothing if memory may become free in time. With the lock.
  std::optional<Status> TryReserve(const Reservation& wanted, Changes& changes);
  void SetProgress(const Key& key, std::string progress);
  void Finish(const Job& job, const ImportRecord& record, StatusOr<Model> model, Changes& changes);
  bool RequestLoad(std::string_view model, std::optional<int64_t> version, bool again,
                   std::function<void(Status)> done);
  // Does what RequestLoad does for one version, with the lock.
  bool RequestLoad(const std::string& model, Entry& entry, Version& version, bool again,
                   std::function<void(Status)> done, Changes& changes);
  // Returns what Load would return, and its error.
  StatusOr<bool> PreviewLoad(std::string_view model, std::optional<int64_t> version) const;

  // Starts the loads for which there are threads, and plans the next Work. With the lock, after
  // anything has changed.
  void Advance();
  // Runs Work on a thread, unless it runs or will run. With the lock.
  void PostWork();
  // Does what is due: frees memory, repeats loads that failed, and examines the directories.
  void Work();
  // Runs a task on a thread of `pool`, or of the environment. With the lock, while watching.
  void Run(const std::unique_ptr<ThreadPool>& pool, std::function<void()> task);
  // Runs a step without the lock. Converts an exception to an error.
  static Status Guarded(absl::FunctionRef<Status()> step);

  const RepositoryOptions options_;
  Timers& timers_;
  const FileSystem& files_;
  FileModelMaker file_maker_;
  ModelMaker& maker_;
  const std::shared_ptr<const EffectiveSettings> default_settings_;
  mutable std::mutex scan_mu_;           // held during a scan; acquired before mu_
  std::vector<FolderScanner> scanners_;  // guarded by scan_mu_
  std::atomic<bool> stopping_{false};
  mutable std::mutex mu_;
  mutable std::condition_variable changed_;  // for WaitUntilSettled
  std::map<std::string, Entry, std::less<>> models_;
  std::deque<Key> queue_;   // loads that wait for a thread of low priority
  std::deque<Key> wanted_;  // loads for which calls wait
  int running_loads_ = 0;   // of queue_
  int running_wanted_ = 0;  // of wanted_
  bool is_watching_ = false;
  bool is_working_ = false;  // Work runs or will run
  RequestedScans requested_;
  std::chrono::milliseconds interval_{0};
  Clock::time_point next_scan_ = Clock::time_point::max();
  std::deque<Reservation> reservations_;
  std::vector<Retired> retired_;
  std::map<Key, Clock::time_point> retries_;
  std::set<Key> loaded_on_demand_;
  std::set<std::string> importers_;  // models with a version that imports another model
  uint64_t captures_revisions_ = 0;  // counts replacements of captures
  int64_t memory_bytes_ = 0;
  mutable uint64_t uses_ = 0;  // counts requests of on-demand models
  std::vector<std::string> skipped_;
  std::vector<std::string> misplaced_;
  // Why a model is not used, by the index of its scanner and its name: another scanner found it,
  // too.
  std::map<std::pair<size_t, std::string>, std::string> duplicates_;
  std::function<void(const std::string&)> on_change_;
  std::function<void(const RepositoryEvent&)> on_event_;
  // Last, because their functions use the members above. The threads exist between Watch and
  // StopWatching. Loads for which calls wait, and replacements of captures, do not wait for others.
  std::unique_ptr<Wakeup> wakeup_;  // posts Work
  std::unique_ptr<ThreadPool> scan_thread_;
  std::unique_ptr<ThreadPool> load_threads_;
  std::unique_ptr<ThreadPool> wanted_thread_;
  std::unique_ptr<ThreadPool> change_thread_;
};

}  // namespace signet
