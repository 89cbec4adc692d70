// The part of Repository that loads versions, counts their memory, and runs the threads.

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "core/frontends/load_model.h"
#include "core/model/language/model_folder.h"
#include "core/model/native/model_files.h"
#include "core/serving/batching/batch_settings.h"
#include "core/serving/batching/verify_batches.h"
#include "core/serving/repository/captures_change.h"
#include "core/serving/repository/manifest.h"
#include "core/serving/repository/repository.h"
#include "core/serving/repository/thread_priority.h"

namespace signet {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr seconds kFirstBackOff(1);
constexpr int kMostBackOffDoublings = 6;  // about a minute
constexpr seconds kFreeingTime(10);       // in which a load waits for memory of unloading versions
constexpr milliseconds kFreeInterval(20);
// What a model needs in addition to its files: for each byte of its graph, and in any case.
constexpr int64_t kBytesPerGraphByte = 8;
constexpr int64_t kBytesPerModel = int64_t{32} << 10;

// Returns an estimate of the memory that the model needs. Weights are mapped, so they need as much
// as their files.
int64_t EstimateBytes(const FolderStamp& stamp) {
  int64_t bytes = kBytesPerModel + stamp.TotalBytes();
  for (const FolderStamp::Item& item : stamp.items) {
    std::filesystem::path path(item.path);
    bool is_graph = path.filename() == kLanguageFile || path.filename() == kBinaryFile;
    if (is_graph) bytes += kBytesPerGraphByte * item.size;
  }
  return bytes;
}

FolderStamp Joined(const FolderStamp& files, const FolderStamp& imports) {
  FolderStamp out = files;
  out.Append(imports);
  return out;
}

// Returns why the version, of which earlier content is served, cannot be imported.
Status NotImportable(const std::string& name, int64_t version, bool is_stable,
                     std::string_view failure) {
  const std::string where = Cat("model `", name, "`: version ", version);
  if (!is_stable) return Unavailable(where, " is being copied");
  return FailedPrecondition(
      where, " has earlier content, because its changed files ",
      failure.empty() ? "are not loaded yet" : Cat("could not be loaded: ", failure));
}

// Returns the memory of the concrete functions that exist, which include copies of weights in other
// layouts.
int64_t BytesOfFunctions(const LoadedModel& model) {
  int64_t bytes = 0;
  for (const auto& function : model.functions()) bytes += function->cache_stats().bytes;
  return bytes;
}

}  // namespace

void Repository::Enqueue(const std::string& name, Version& version, Changes& changes) {
  if (version.is_loading) return;
  version.is_loading = true;
  version.must_load = false;
  retries_.erase({name, version.status.version});
  version.status.progress = "waiting for a thread";
  const bool is_wanted = version.is_wanted;
  if (version.status.state != State::kAvailable && !is_wanted) {
    SetState(name, version, State::kLoading, "", changes);
  }
  (is_wanted ? wanted_ : queue_).emplace_back(name, version.status.version);
  changed_.notify_all();
}

void Repository::Complete(Changes changes) {
  bool is_watching = false;
  {
    std::lock_guard lock(mu_);
    FreeRetired(changes);
    is_watching = is_watching_;
  }
  Notify(std::move(changes));
  if (is_watching) return;
  std::unique_lock lock(mu_);
  while (!wanted_.empty() || !queue_.empty()) {
    if (is_watching_) return;
    RunLoad(wanted_.empty() ? queue_ : wanted_, lock);
  }
}

void Repository::RunLoad(std::deque<Key>& queue, std::unique_lock<std::mutex>& lock) {
  Job job;
  job.key = std::move(queue.front());
  queue.pop_front();
  auto entry = models_.find(job.key.first);
  if (entry == models_.end()) return;
  auto version = entry->second.versions.find(job.key.second);
  if (version == entry->second.versions.end()) return;
  job.folder = version->second.folder;
  job.stamp = version->second.stamp;
  const auto record = std::make_shared<ImportRecord>();
  record->imports = version->second.imports;
  record->stamp = StampOfImports(record->imports);
  job.settings = entry->second.settings;
  job.limits = LimitsOfLoad(job.settings->settings);
  job.start = Clock::now();
  auto current = entry->second.available.find(job.key.second);
  if (current != entry->second.available.end()) job.current = current->second;
  job.loaded = Joined(version->second.loaded, version->second.loaded_content);
  job.is_requested = std::exchange(version->second.is_requested, false);
  job.loaded_limits = version->second.loaded_limits;
  ++running_loads_;
  lock.unlock();
  Changes changes;
  auto model = [&]() -> StatusOr<Model> {
    try {
      return LoadFiles(job, record);
    } catch (const std::bad_alloc&) {
      return ResourceExhausted("out of memory");
    } catch (const std::exception&) {
      return Internal("a step of the load stopped unexpectedly");
    }
  }();
  lock.lock();
  Finish(job, *record, std::move(model), changes);
  EvaluateImporters(changes);
  --running_loads_;
  FreeRetired(changes);
  changed_.notify_all();
  lock.unlock();
  Notify(std::move(changes));
  lock.lock();
}

void Repository::SetProgress(const Key& key, std::string progress) {
  std::lock_guard lock(mu_);
  auto entry = models_.find(key.first);
  if (entry == models_.end()) return;
  auto version = entry->second.versions.find(key.second);
  if (version != entry->second.versions.end()) {
    version->second.status.progress = std::move(progress);
  }
}

StatusOr<Repository::Model> Repository::LoadFiles(Job& job,
                                                  const std::shared_ptr<ImportRecord>& record) {
  const auto& [name, number] = job.key;
  SIGNET_RETURN_IF_ERROR(job.folder.status);
  SetProgress(job.key, "checking files");
  if (!StampOf(job.folder.folder).HasSameFiles(job.stamp)) {
    return FailedPrecondition(
        "the files have changed since the server examined the directory; it examines the directory "
        "again with each poll, and when a load is requested");
  }
  SIGNET_RETURN_IF_ERROR(CheckManifest(job.folder.folder));
  const int64_t bytes = EstimateBytes(Joined(job.stamp, record->stamp));
  SIGNET_RETURN_IF_ERROR(Reserve("the model requires", bytes));
  job.bytes = bytes;
  SetProgress(job.key, "loading");
  ModelOptions model_options = options_.model;
  model_options.function = StricterLimits(model_options.function, job.settings->settings.limits());
  // The model keeps this function, so that its captures can be replaced later; the record is only
  // of this load.
  model_options.find_model =
      [this, key = job.key, is_requested = job.is_requested,
       weak = std::weak_ptr(record)](const ModelReference& reference) -> StatusOr<ImportedVersion> {
    const auto own = weak.lock();
    if (own != nullptr && is_requested) {
      Changes changes;
      Examine(reference.name, changes);
      Notify(std::move(changes));
    }
    ImportedVersion content;
    {
      std::lock_guard lock(mu_);
      auto found = FindImport(reference);
      const auto pending = PendingImport(key, {reference});
      if (own != nullptr) {
        own->imports.push_back(reference);
        own->must_wait = own->must_wait || (pending && WillBeLoaded(*pending->version));
        if (found.ok() && !pending) own->stamp.Append(StampOfContent(*found));
      }
      SIGNET_RETURN_IF_ERROR(found.status());
      if (pending) {
        const Version& other = *pending->version;
        return NotImportable(pending->key.first, pending->key.second, other.is_stable,
                             other.failures > 0 ? other.failure : "");
      }
      content = ContentOf(*found);
    }
    SIGNET_RETURN_IF_ERROR(CheckManifest(content.folder));
    return content;
  };
  const v1::Batching& batching = job.settings->settings.batching();
  if (BatchLimitsOf(batching).enabled) model_options.batches = BatchesOf(batching);
  Model model;
  if (job.current != nullptr && job.limits == job.loaded_limits &&
      OnlyCapturesChanged(job.loaded, Joined(job.stamp, record->stamp))) {
    // If the names or types of the captures differ, the version is loaded as usual.
    auto replaced = ReplaceVerifiedCaptures(job.current, job.folder.folder / kCapturesFile);
    if (replaced.ok()) model = replaced->model;
    job.has_replaced_captures = replaced.ok();
  }
  if (model == nullptr) {
    *record = {};
    SIGNET_ASSIGN_OR_RETURN(model, LoadModel(job.folder.folder, name, number, model_options));
    const Status batches = VerifyBatches(*model, job.folder.folder, model_options.limits);
    if (!batches.ok()) {
      const Status placed = WithPositionInFolder(job.folder.folder, batches);
      return At(PlaceOf(job.folder.folder), FailedPrecondition(MessageOf(placed)));
    }
  }
  if (options_.warm_up) {
    SetProgress(job.key, "warming up");
    SIGNET_RETURN_IF_ERROR(At(
        "warm-up", options_.warm_up(model, job.folder.folder, job.settings->settings, stopping_)));
  }
  if (!StampOf(job.folder.folder).HasSameFiles(job.stamp)) {
    return FailedPrecondition("the files changed while they were loaded");
  }
  return model;
}

Status Repository::Reserve(std::string_view what, int64_t bytes) {
  std::unique_lock lock(mu_);
  const int64_t limit = options_.memory_bytes;
  const auto end = Clock::now() + kFreeingTime;
  while (limit > 0 && memory_bytes_ + bytes > limit) {
    Changes changes;
    FreeRetired(changes);
    if (memory_bytes_ + bytes > limit && bytes <= limit) Evict(bytes, changes);
    FreeRetired(changes);
    int64_t unloading = 0;
    for (const Retired& each : retired_) unloading += each.bytes;
    const int64_t used = memory_bytes_;
    lock.unlock();
    Notify(std::move(changes));
    lock.lock();
    if (memory_bytes_ + bytes <= limit) break;
    if (used - unloading + bytes > limit || Clock::now() >= end || stopping_.load()) {
      return WithReason("MODEL_MEMORY_EXCEEDED",
                        ResourceExhausted(what, " about ", bytes, " bytes, but ",
                                          std::max<int64_t>(limit - memory_bytes_, 0), " of ",
                                          limit, " are free (--model_memory_bytes)"));
    }
    changed_.wait_for(lock, kFreeInterval);
  }
  memory_bytes_ += bytes;
  return absl::OkStatus();
}

void Repository::Evict(int64_t bytes, Changes& changes) {
  // Models are unloaded in groups, so that not every load searches for the least recent ones.
  const int64_t target = options_.memory_bytes - options_.memory_bytes / 32;
  int64_t used = memory_bytes_;
  for (const Retired& each : retired_) used -= each.bytes;
  std::vector<std::pair<uint64_t, Key>> candidates;
  for (const Key& key : loaded_on_demand_) {
    const Version& version = models_.find(key.first)->second.versions.at(key.second);
    if (!version.is_loading && version.override != Override::kLoaded) {
      candidates.emplace_back(version.last_use, key);
    }
  }
  std::sort(candidates.begin(), candidates.end());
  for (const auto& [last_use, key] : candidates) {
    if (used + bytes <= target) break;
    Entry& entry = models_.find(key.first)->second;
    Version& version = entry.versions.at(key.second);
    used -= version.status.memory_bytes;
    version.was_evicted = true;
    Retire(key.first, entry, key.second, changes);
    Evaluate(key.first, entry, changes);
  }
  EvaluateImporters(changes);
}

void Repository::Finish(const Job& job, const ImportRecord& record, StatusOr<Model> model,
                        Changes& changes) {
  const auto& [name, number] = job.key;
  auto found = models_.find(name);
  Version* version = nullptr;
  if (found != models_.end()) {
    auto it = found->second.versions.find(number);
    if (it != found->second.versions.end()) version = &it->second;
  }
  const bool is_kept =
      version != nullptr && version->is_found && version->override != Override::kUnloaded;
  RepositoryEvent event = {.model = name, .version = number};
  event.milliseconds = std::chrono::duration_cast<milliseconds>(Clock::now() - job.start).count();
  Status status = model.status();
  const bool must_repeat = status.ok() ? WasImportReplaced(record) : record.must_wait;
  const bool is_published = status.ok() && is_kept && !must_repeat;
  if (!is_published) memory_bytes_ -= job.bytes;
  if (model.ok() && !is_published) changes.released.push_back(*std::move(model));
  if (version == nullptr) return;
  Entry& entry = found->second;
  version->is_loading = false;
  version->status.progress.clear();
  version->imports = record.imports;
  if (!record.imports.empty()) importers_.insert(name);
  const FolderStamp files = Joined(job.stamp, record.stamp);
  if (is_published) {
    int64_t bytes = std::max(job.bytes, files.TotalBytes() + BytesOfFunctions(**model));
    memory_bytes_ += bytes - job.bytes;
    auto replaced = entry.available.find(number);
    const bool is_same = replaced != entry.available.end() && replaced->second == *model;
    std::vector<Version*> importers;
    if (is_same) {
      memory_bytes_ -= version->status.memory_bytes;  // the captures are the same
      importers = CurrentImportersOf(job.key);
    } else if (replaced != entry.available.end()) {
      retired_.push_back({name, number, std::move(replaced->second), version->status.memory_bytes});
      changes.models.push_back(name);
    }
    entry.available[number] = *std::move(model);
    version->status.memory_bytes = bytes;
    version->loaded = job.stamp;
    version->loaded_imports = record.imports;
    version->loaded_content = record.stamp;
    version->captures_revision = 0;
    for (Version* importer : importers) {
      importer->loaded_content = StampOfImports(importer->loaded_imports);
    }
    version->loaded_limits = job.limits;
    version->failures = 0;
    version->failed = {};
    version->was_evicted = false;
    version->last_use = ++uses_;
    version->is_wanted = false;
    if (version->status.is_on_demand) loaded_on_demand_.insert(job.key);
    SetState(name, *version, State::kAvailable, "", changes);
    event.kind = job.has_replaced_captures ? RepositoryEvent::Kind::kCapturesReplaced
                                           : RepositoryEvent::Kind::kLoaded;
    event.is_on_demand = version->status.is_on_demand;
    if (!is_same) changes.events.push_back(std::move(event));
  } else if (must_repeat && is_kept) {
    version->must_load = true;
  } else if (!status.ok()) {
    version->failed = files;
    version->may_retry = status.code() == absl::StatusCode::kResourceExhausted;
    version->retry_at =
        Clock::now() + kFirstBackOff * (1 << std::min(version->failures, kMostBackOffDoublings));
    ++version->failures;
    version->is_wanted = false;
    event.kind = RepositoryEvent::Kind::kLoadFailed;
    event.reason = std::string(MessageOf(status));
    version->failure = event.reason;
    bool is_available = entry.available.contains(number);
    SetState(name, *version, is_available ? State::kAvailable : State::kFailed,
             is_available ? Cat(kEarlierContent, event.reason) : event.reason, changes);
    changes.models.push_back(name);
    changes.events.push_back(std::move(event));
    for (auto& waiter : version->waiters) {
      changes.done.emplace_back(std::move(waiter),
                                At(Cat("model `", name, "`: version ", number), status));
    }
    version->waiters.clear();
  }
  Evaluate(name, entry, changes);
  // Concrete functions may need more than the estimate.
  if (options_.memory_bytes > 0 && memory_bytes_ > options_.memory_bytes) Evict(0, changes);
}

// --- Threads ----------------------------------------------------------------------------------

void Repository::Watch(milliseconds interval) {
  {
    std::lock_guard lock(mu_);
    SIGNET_CHECK(!is_watching_);
    is_watching_ = true;
    interval_ = interval;
  }
  stopping_.store(false);
  threads_.emplace_back([this] { KeepWatch(); });
  threads_.emplace_back([this] { KeepLoading(wanted_); });
  for (int i = 0; i < std::max(1, options_.load_threads); ++i) {
    threads_.emplace_back([this] {
      LowerPriority();
      KeepLoading(queue_);
    });
  }
}

void Repository::StopWatching() {
  {
    std::lock_guard lock(mu_);
    stopping_.store(true);
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
  // Loads that have not started are forgotten.
  Changes changes;
  {
    std::lock_guard lock(mu_);
    is_watching_ = false;
    for (std::deque<Key>* queue : {&queue_, &wanted_}) {
      for (const Key& key : *queue) {
        Version& version = models_.find(key.first)->second.versions.at(key.second);
        version.is_loading = false;
        version.status.progress.clear();
        for (auto& waiter : version.waiters) {
          changes.done.emplace_back(std::move(waiter), Unavailable("the server is stopping"));
        }
        version.waiters.clear();
      }
      queue->clear();
    }
  }
  Notify(std::move(changes));
}

void Repository::KeepLoading(std::deque<Key>& queue) {
  std::unique_lock lock(mu_);
  while (!stopping_.load()) {
    if (queue.empty()) {
      changed_.wait(lock);
    } else {
      RunLoad(queue, lock);
    }
  }
}

void Repository::KeepWatch() {
  LowerPriority();
  std::unique_lock lock(mu_);
  const milliseconds interval = interval_;
  const auto never = Clock::time_point::max();
  auto next_scan = interval.count() > 0 ? Clock::now() + interval : never;
  auto next_requested_scan = Clock::now();
  while (!stopping_.load()) {
    auto wake = next_scan;
    if (requested_scans_ > 0) wake = std::min(wake, next_requested_scan);
    if (!retired_.empty()) wake = std::min(wake, Clock::now() + kFreeInterval);
    for (const auto& [key, time] : retries_) wake = std::min(wake, time);
    if (wake == never) {
      changed_.wait(lock);
    } else {
      changed_.wait_until(lock, wake);
    }
    Changes changes;
    FreeRetired(changes);
    std::vector<Key> due;
    for (const auto& [key, time] : retries_) {
      if (time <= Clock::now()) due.push_back(key);
    }
    for (const Key& key : due) {
      retries_.erase(key);
      auto entry = models_.find(key.first);
      if (entry != models_.end()) Evaluate(key.first, entry->second, changes);
    }
    const bool is_requested = requested_scans_ > 0 && Clock::now() >= next_requested_scan;
    lock.unlock();
    Notify(std::move(changes));
    if (is_requested || Clock::now() >= next_scan) {
      // Two scans must find the same files. The second one may come a little early.
      const milliseconds pause = is_requested ? kRescanTime : interval;
      Scan(pause * 3 / 4, /*load_again=*/false).status().IgnoreError();
      if (interval.count() > 0) next_scan = Clock::now() + interval;
    }
    lock.lock();
    if (is_requested) {
      --requested_scans_;
      next_requested_scan = Clock::now() + kRescanTime;
    }
  }
}

bool Repository::WaitUntilSettled(milliseconds time) const {
  std::unique_lock lock(mu_);
  return changed_.wait_for(lock, time, [this] {
    return queue_.empty() && wanted_.empty() && running_loads_ == 0 && retired_.empty();
  });
}

}  // namespace signet
