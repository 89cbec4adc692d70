// The part of Repository that loads versions, counts their memory, and runs the threads.

#include <algorithm>
#include <exception>
#include <iterator>
#include <new>
#include <utility>

#include "core/model/language/model_folder.h"
#include "core/model/native/model_files.h"
#include "core/serving/batching/batch_settings.h"
#include "core/serving/repository/captures_change.h"
#include "core/serving/repository/manifest.h"
#include "core/serving/repository/repository.h"

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
  Advance();
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
  while (true) {
    Key key;
    bool is_wanted = false;
    {
      std::lock_guard lock(mu_);
      is_wanted = !wanted_.empty();
      std::deque<Key>& queue = is_wanted ? wanted_ : queue_;
      if (is_watching_ || queue.empty()) return;
      key = std::move(queue.front());
      queue.pop_front();
      ++(is_wanted ? running_wanted_ : running_loads_);
    }
    BeginLoad(key, is_wanted);
  }
}

Status Repository::Guarded(absl::FunctionRef<Status()> step) {
  try {
    return step();
  } catch (const std::bad_alloc&) {
    return ResourceExhausted("out of memory");
  } catch (const std::exception&) {
    return Internal("a step stopped unexpectedly");
  }
}

void Repository::RunStep(const std::shared_ptr<Job>& job, absl::FunctionRef<Status()> step) {
  const Status outcome = Guarded(step);
  if (!outcome.ok()) EndLoad(job, outcome);
}

void Repository::BeginLoad(const Key& key, bool is_wanted) {
  const auto job = std::make_shared<Job>();
  job->key = key;
  job->is_wanted = is_wanted;
  Changes changes;
  bool begins = false;
  {
    std::lock_guard lock(mu_);
    auto entry = models_.find(key.first);
    const bool is_known = entry != models_.end() && entry->second.versions.contains(key.second);
    begins = is_known && !(is_watching_ && stopping_.load());
    if (begins) {
      Version& version = entry->second.versions.at(key.second);
      job->folder = version.folder;
      job->stamp = version.stamp;
      version.tried = version.stamp;
      job->record = std::make_shared<ImportRecord>();
      job->record->imports = version.imports;
      job->record->stamp = StampOfImports(version.imports);
      job->settings = entry->second.settings;
      job->limits = LimitsOfLoad(job->settings->settings);
      job->start = timers_.Now();
      auto current = entry->second.available.find(key.second);
      if (current != entry->second.available.end()) job->current = current->second;
      job->loaded = Joined(version.loaded, version.loaded_content);
      job->is_requested = std::exchange(version.is_requested, false);
      job->loaded_limits = version.loaded_limits;
    } else {
      --(is_wanted ? running_wanted_ : running_loads_);
      if (is_known) ForgetLoad(key, changes);
      Advance();
    }
  }
  if (!begins) return Notify(std::move(changes));
  CheckFiles(job);
}

void Repository::ForgetLoad(const Key& key, Changes& changes) {
  Version& version = models_.find(key.first)->second.versions.at(key.second);
  version.is_loading = false;
  version.status.progress.clear();
  for (auto& waiter : version.waiters) {
    changes.done.emplace_back(std::move(waiter), Unavailable("the server is stopping"));
  }
  version.waiters.clear();
}

void Repository::EndLoad(const std::shared_ptr<Job>& job, StatusOr<Model> model) {
  if (std::exchange(job->has_ended, true)) return;
  Changes changes;
  {
    std::lock_guard lock(mu_);
    Finish(*job, *job->record, std::move(model), changes);
    EvaluateImporters(changes);
    --(job->is_wanted ? running_wanted_ : running_loads_);
    FreeRetired(changes);
    Advance();
  }
  Notify(std::move(changes));
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

void Repository::CheckFiles(const std::shared_ptr<Job>& job) {
  RunStep(job, [&]() -> Status {
    SIGNET_RETURN_IF_ERROR(job->folder.status);
    SetProgress(job->key, "checking files");
    if (!StampOf(files_, job->folder.folder).HasSameFiles(job->stamp)) {
      job->files_changed = true;
      return FailedPrecondition(
          "the files have changed since the server examined the directory; it examines the "
          "directory again with each poll, and when a load is requested");
    }
    SIGNET_RETURN_IF_ERROR(CheckManifest(files_, job->folder.folder));
    const int64_t bytes = EstimateBytes(Joined(job->stamp, job->record->stamp));
    Reserve("the model requires", bytes, [this, job, bytes](const Status& reserved) {
      if (!reserved.ok()) return EndLoad(job, reserved);
      job->bytes = bytes;
      MakeModel(job);
    });
    return absl::OkStatus();
  });
}

void Repository::MakeModel(const std::shared_ptr<Job>& job) {
  SetProgress(job->key, "loading");
  const bool has_other_captures =
      job->current != nullptr && job->limits == job->loaded_limits &&
      OnlyCapturesChanged(job->loaded, Joined(job->stamp, job->record->stamp));
  if (!has_other_captures) return ReadModel(job);
  RunStep(job, [&] {
    maker_.ReplaceCaptures(job->current, job->folder.folder / kCapturesFile,
                           [this, job](const StatusOr<ReplacedCaptures>& replaced) {
                             // If the names or types of the captures differ, the version is loaded
                             // as usual.
                             if (!replaced.ok()) return ReadModel(job);
                             job->has_replaced_captures = true;
                             CheckModel(job, replaced->model);
                           });
    return absl::OkStatus();
  });
}

ModelFinder Repository::FinderOf(const Job& job) {
  // The model keeps this function, so that its captures can be replaced later; the record is only
  // of this load.
  return [this, key = job.key, is_requested = job.is_requested, weak = std::weak_ptr(job.record)](
             const ModelReference& reference) -> StatusOr<ImportedVersion> {
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
        own->must_wait = own->must_wait || (pending && WillBeLoaded(*pending));
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
    SIGNET_RETURN_IF_ERROR(CheckManifest(files_, content.folder));
    return content;
  };
}

void Repository::ReadModel(const std::shared_ptr<Job>& job) {
  RunStep(job, [&] {
    *job->record = {};
    const v1::ModelSettings& settings = job->settings->settings;
    ModelOptions options = options_.model;
    options.function = StricterLimits(options.function, settings.limits());
    options.find_model = FinderOf(*job);
    if (BatchLimitsOf(settings.batching()).enabled)
      options.batches = BatchesOf(settings.batching());
    maker_.Load({job->folder.folder, job->key.first, job->key.second}, options,
                [this, job](StatusOr<Model> model) {
                  if (!model.ok()) return EndLoad(job, model.status());
                  CheckModel(job, *std::move(model));
                });
    return absl::OkStatus();
  });
}

void Repository::CheckModel(const std::shared_ptr<Job>& job, Model model) {
  RunStep(job, [&]() -> Status {
    if (options_.warm_up) {
      SetProgress(job->key, "warming up");
      SIGNET_RETURN_IF_ERROR(At("warm-up", options_.warm_up(model, job->folder.folder,
                                                            job->settings->settings, stopping_)));
    }
    if (!StampOf(files_, job->folder.folder).HasSameFiles(job->stamp)) {
      job->files_changed = true;
      return FailedPrecondition("the files changed while they were loaded");
    }
    if (!job->has_replaced_captures && HaveImportsChanged(*job->record)) {
      job->files_changed = true;
      return FailedPrecondition("the files of an imported model changed while they were loaded");
    }
    EndLoad(job, std::move(model));
    return absl::OkStatus();
  });
}

// --- Memory -----------------------------------------------------------------------------------

void Repository::Reserve(std::string what, int64_t bytes, std::function<void(Status)> done) {
  Reservation wanted{std::move(what), bytes, timers_.Now() + kFreeingTime, std::move(done)};
  Changes changes;
  std::optional<Status> outcome;
  {
    std::lock_guard lock(mu_);
    outcome = TryReserve(wanted, changes);
    if (!outcome) {
      reservations_.push_back(std::move(wanted));
      Advance();
    }
  }
  Notify(std::move(changes));
  if (outcome) wanted.done(*std::move(outcome));
}

std::optional<Status> Repository::TryReserve(const Reservation& wanted, Changes& changes) {
  const int64_t limit = options_.memory_bytes;
  const int64_t bytes = wanted.bytes;
  if (limit > 0 && memory_bytes_ + bytes > limit) {
    FreeRetired(changes);
    if (memory_bytes_ + bytes > limit && bytes <= limit) Evict(bytes, changes);
    FreeRetired(changes);
  }
  if (limit == 0 || memory_bytes_ + bytes <= limit) {
    memory_bytes_ += bytes;
    return absl::OkStatus();
  }
  int64_t unloading = 0;
  for (const Retired& each : retired_) unloading += each.bytes;
  const bool may_fit = memory_bytes_ - unloading + bytes <= limit;
  if (may_fit && timers_.Now() < wanted.end && is_watching_ && !stopping_.load()) {
    return std::nullopt;
  }
  return WithReason("MODEL_MEMORY_EXCEEDED",
                    ResourceExhausted(wanted.what, " about ", bytes, " bytes, but ",
                                      std::max<int64_t>(limit - memory_bytes_, 0), " of ", limit,
                                      " are free (--model_memory_bytes)"));
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
  event.milliseconds = std::chrono::duration_cast<milliseconds>(timers_.Now() - job.start).count();
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
    // The files may have been elsewhere for a moment, and be what they were again.
    version->may_retry = version->failures == 0 || job.files_changed ||
                         status.code() == absl::StatusCode::kResourceExhausted;
    version->retry_at =
        timers_.Now() + kFirstBackOff * (1 << std::min(version->failures, kMostBackOffDoublings));
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
  constexpr int kNiceness = 10;      // loads receive a lower share of the processors than calls
  SIGNET_CHECK(wakeup_ == nullptr);  // not watching
  stopping_.store(false);
  if (!options_.environment.run) {
    scan_thread_ = std::make_unique<ThreadPool>(1, kNiceness);
    load_threads_ = std::make_unique<ThreadPool>(options_.load_threads, kNiceness);
    wanted_thread_ = std::make_unique<ThreadPool>(1);
    change_thread_ = std::make_unique<ThreadPool>(1, kNiceness);
  }
  wakeup_ = std::make_unique<Wakeup>(timers_, [this] {
    std::lock_guard lock(mu_);
    PostWork();
  });
  std::lock_guard lock(mu_);
  is_watching_ = true;
  interval_ = interval;
  if (interval.count() > 0) next_scan_ = timers_.Now() + interval;
  Advance();
}

void Repository::StopWatching() {
  std::deque<Reservation> reservations;
  {
    std::lock_guard lock(mu_);
    stopping_.store(true);
    reservations.swap(reservations_);
  }
  for (Reservation& each : reservations) each.done(Unavailable("the server is stopping"));
  wakeup_.reset();
  // These finish the tasks that have begun.
  scan_thread_.reset();
  load_threads_.reset();
  wanted_thread_.reset();
  change_thread_.reset();
  // Loads that have not started are forgotten.
  Changes changes;
  {
    std::lock_guard lock(mu_);
    is_watching_ = false;
    is_working_ = false;
    next_scan_ = Clock::time_point::max();
    for (auto& waiter : requested_.waiters) {
      changes.done.emplace_back(std::move(waiter), Unavailable("the server is stopping"));
    }
    requested_ = {};
    for (std::deque<Key>* queue : {&queue_, &wanted_}) {
      for (const Key& key : *queue) ForgetLoad(key, changes);
      queue->clear();
    }
  }
  Notify(std::move(changes));
}

void Repository::Run(const std::unique_ptr<ThreadPool>& pool, std::function<void()> task) {
  if (pool != nullptr) return pool->Schedule(std::move(task));
  options_.environment.run(std::move(task));
}

void Repository::Advance() {
  if (running_loads_ + running_wanted_ == 0) changed_.notify_all();
  if (!is_watching_ || stopping_.load()) return;
  const auto start = [this](std::deque<Key>& queue, int& running, int most,
                            const std::unique_ptr<ThreadPool>& pool, bool is_wanted) {
    while (running < most && !queue.empty()) {
      ++running;
      Run(pool, [this, key = std::move(queue.front()), is_wanted] { BeginLoad(key, is_wanted); });
      queue.pop_front();
    }
  };
  start(queue_, running_loads_, std::max(1, options_.load_threads), load_threads_, false);
  start(wanted_, running_wanted_, 1, wanted_thread_, true);
  if (is_working_) return;
  Clock::time_point next = next_scan_;
  const Clock::time_point now = timers_.Now();
  if (requested_.left > 0) next = std::min(next, requested_.time);
  if (!retired_.empty() || !reservations_.empty()) next = std::min(next, now + kFreeInterval);
  for (const auto& [key, time] : retries_) next = std::min(next, time);
  if (next <= now) return PostWork();
  if (next != Clock::time_point::max()) wakeup_->At(next);
}

void Repository::PostWork() {
  if (is_working_ || !is_watching_ || stopping_.load()) return;
  is_working_ = true;
  Run(scan_thread_, [this] { Work(); });
}

void Repository::Work() {
  Changes changes;
  RequestedScans requested;
  bool is_poll = false;
  milliseconds interval{0};
  {
    std::lock_guard lock(mu_);
    if (stopping_.load()) return;
    const Clock::time_point now = timers_.Now();
    FreeRetired(changes);
    std::vector<Key> due;
    for (const auto& [key, time] : retries_) {
      if (time <= now) due.push_back(key);
    }
    for (const Key& key : due) {
      retries_.erase(key);
      auto entry = models_.find(key.first);
      if (entry != models_.end()) Evaluate(key.first, entry->second, changes);
    }
    std::deque<Reservation> waiting;
    waiting.swap(reservations_);
    for (Reservation& each : waiting) {
      if (auto outcome = TryReserve(each, changes)) {
        Run(load_threads_, [done = std::move(each.done), status = *outcome] { done(status); });
      } else {
        reservations_.push_back(std::move(each));
      }
    }
    if (requested_.left > 0 && now >= requested_.time) requested = std::exchange(requested_, {});
    is_poll = now >= next_scan_;
    interval = interval_;
  }
  Notify(std::move(changes));
  changes = {};
  if (requested.left > 0 || is_poll) {
    // Two scans must find the same files. The second one may come a little early.
    const milliseconds pause = requested.left > 0 ? milliseconds(kRescanTime) : interval;
    const auto is_settled = Scan(pause * 3 / 4, /*load_again=*/false);
    std::lock_guard lock(mu_);
    if (interval.count() > 0) next_scan_ = timers_.Now() + interval;
    const bool has_ended = !is_settled.ok() || *is_settled || requested.left <= 1;
    if (requested.left > 0 && !has_ended) {
      const bool is_again = requested_.left > 0;
      requested_.left = std::max(requested_.left, requested.left - 1);
      if (!is_again) requested_.time = timers_.Now() + kRescanTime;
      std::move(requested.waiters.begin(), requested.waiters.end(),
                std::back_inserter(requested_.waiters));
      requested.waiters.clear();
    }
    for (auto& waiter : requested.waiters) {
      changes.done.emplace_back(std::move(waiter), is_settled.status());
    }
  }
  {
    std::lock_guard lock(mu_);
    is_working_ = false;
    Advance();
  }
  Notify(std::move(changes));
}

bool Repository::IsSettled() const {
  std::lock_guard lock(mu_);
  return queue_.empty() && wanted_.empty() && running_loads_ + running_wanted_ == 0 &&
         retired_.empty();
}

bool Repository::WaitUntilSettled(milliseconds time) const {
  std::unique_lock lock(mu_);
  return changed_.wait_for(lock, time, [this] {
    return queue_.empty() && wanted_.empty() && running_loads_ + running_wanted_ == 0 &&
           retired_.empty();
  });
}

}  // namespace signet
