#include "tests/simulation/operations.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include "core/serving/repository/manifest.h"
#include "core/serving/repository/repository.h"
#include "server/protocols/grpc/health.h"
#include "signet/cat.h"
#include "tests/simulation/simulated_models.h"
#include "tests/simulation/world.h"

namespace signet {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using State = VersionStatus::State;

constexpr char kRoot[] = "/models";
constexpr char kFirstFolder[] = "/srv/a";
constexpr char kSecondFolder[] = "/srv/b";
constexpr const char* kModels[] = {"rate", "score"};  // versions of `score` may import `rate`
constexpr int kVersions = 4;
constexpr const char* kLabels[] = {"stable", "canary"};
constexpr char kWrongSettings[] = "version_policy { newe";
constexpr milliseconds kPoll(5000);
// After this time without a change, nothing is left to do: polls, loads, and the longest back-off.
constexpr milliseconds kQuietTime(200'000);

class States final : public ServiceStates {
 public:
  void OnCheck(std::function<void(const std::string&)> update) override {
    update_ = std::move(update);
  }
  void Set(const std::string& service, bool serving) override { serving_[service] = serving; }
  void StopServing() override { serving_.clear(); }

  // Returns what Watch has sent last.
  bool Watched(const std::string& service) const {
    const auto found = serving_.find(service);
    return found != serving_.end() && found->second;
  }
  bool Check(const std::string& service) const {
    if (update_) update_(service);
    return Watched(service);
  }

 private:
  std::function<void(const std::string&)> update_;
  std::map<std::string, bool> serving_;
};

// One process of a server.
struct Server {
  Server(RepositoryOptions options, ReadyPolicy policy)
      : repository(std::move(options)), health(repository, policy, states) {}
  States states;
  Repository repository;
  Health health;
};

// What the operator knows about a version.
struct KnownVersion {
  std::optional<bool> is_kept;  // loaded by Load (true), or unloaded by Unload (false)
  bool was_removed = false;     // since the last quiet time
  bool is_unclear = false;      // removed, and kept or unloaded: the order is not known
};
struct KnownModel {
  std::map<int64_t, KnownVersion> versions;
  // What happened since the last quiet time, which permits that calls fail.
  bool was_unloaded = false;
  bool was_without_versions = false;
  std::set<std::string> removed_labels;  // by an administrator or the settings
  bool is_available = false;
  bool has_admin_labels = false;           // in this process
  bool began_with_wrong_settings = false;  // which it still has
  std::set<std::string> labels;            // whose calls are answered
};

class Simulation {
 public:
  Simulation(uint64_t seed, Coverage* coverage, bool with_account)
      : world_(seed), coverage_(coverage), with_account_(with_account) {
    poll_ = world_.Below(3) == 0 ? milliseconds(0) : kPoll;
    policy_ = world_.Below(2) == 0 ? ReadyPolicy::kAny : ReadyPolicy::kAll;
    is_on_demand_ = world_.Below(4) == 0;
    load_threads_ = 1 + world_.Below(2);
    memory_bytes_ = world_.Below(3) == 0 ? 220'000 : 0;
    world_.files().MakeFolder(kFirstFolder);
    world_.files().MakeFolder(kSecondFolder);
    world_.files().Link(kFirstFolder, kRoot);
    Note(Cat("polls every ", poll_.count(), " ms, memory ", memory_bytes_,
             is_on_demand_ ? ", loads on demand" : ""));
    Start();
  }
  ~Simulation() { Stop(); }

  // Returns the rule that is broken; empty if none is.
  std::string Do(const Step& step) {
    world_.Seed(step.seed);
    Count(NameOf(step.operation));
    Note(NameOf(step.operation));
    Act(step.operation);
    NoteFiles();
    const int tasks = world_.Below(6);
    for (int i = 0; i < tasks && world_.RunOne(); ++i) CheckAlways();
    if (world_.Below(2) == 0) Pass(milliseconds(world_.Below(800)));
    CheckAlways();
    return violation_;
  }

 public:
  const std::string& account() const { return account_; }

 private:
  // --- The world ------------------------------------------------------------------------------

  RepositoryOptions Options() {
    RepositoryOptions options;
    options.load_threads = load_threads_;
    options.memory_bytes = memory_bytes_;
    if (is_on_demand_) options.flags.set_load(v1::ModelSettings::ON_DEMAND);
    options.environment = {.timers = &world_.timers(),
                           .files = &world_.files(),
                           .maker = &models_,
                           .run = [this](auto task) { world_.Post(std::move(task)); }};
    return options;
  }
  void Start() {
    server_ = std::make_unique<Server>(Options(), policy_);
    server_->repository.OnEvent([this](const RepositoryEvent& event) { NoteEvent(event); });
    // As signet-server does, but loads take simulated time.
    server_->repository.Watch(poll_);
    (void)server_->repository.Open({{.folder = kRoot}});
    for (auto& [name, model] : known_) model = {};
    NoteFiles();
  }
  void Stop() {
    held_.clear();
    open_calls_ = 0;
    world_.Kill();
    server_.reset();
  }
  void Pass(milliseconds time) {
    world_.PassFor(time, [this] { CheckAlways(); });
  }
  void Count(const std::string& what) {
    if (coverage_ != nullptr) coverage_->Add(what);
  }
  // Adds a line to the account.
  void Note(const std::string& what) {
    if (!with_account_) return;
    const auto now = world_.timers().WallTime().time_since_epoch();
    const auto ms = std::chrono::duration_cast<milliseconds>(now).count() % 100'000'000;
    account_ += Cat("  ", ms, " ms: ", what, "\n");
  }
  void NoteEvent(const RepositoryEvent& event) {
    using Kind = RepositoryEvent::Kind;
    Note(Cat("    event ", static_cast<int>(event.kind), " ", event.model, "/", event.version, " ",
             event.reason));
    switch (event.kind) {
      case Kind::kLoaded:
        return Count("event: loaded");
      case Kind::kLoadFailed:
        return Count("event: load failed");
      case Kind::kUnloaded:
        return Count("event: unloaded");
      case Kind::kSettingsApplied:
        has_new_settings_ = true;
        return Count("event: settings applied");
      case Kind::kSettingsRejected:
        return Count("event: settings rejected");
      case Kind::kCapturesReplaced:
        return Count(open_calls_ > 0 ? "event: captures replaced during a call"
                                     : "event: captures replaced");
      case Kind::kUnloading:
        return Count(open_calls_ > 0 ? "event: unloading during a call" : "event: unloading");
      default:
        return Count("event: other");
    }
  }
  void Violate(const std::string& rule, const std::string& how) {
    if (!violation_.empty()) return;
    violation_ = Cat(rule, ": ", how, "\n", Overview());
  }
  std::string Overview() const {
    std::string text;
    for (const ModelStatus& model : server_->repository.List()) {
      for (const VersionStatus& version : model.versions) {
        text +=
            Cat("  ", model.name, "/", version.version, " state ", static_cast<int>(version.state),
                " ", version.reason, " ", version.progress, "\n");
      }
      if (!model.settings_error.empty()) text += Cat("  settings: ", model.settings_error, "\n");
    }
    return text;
  }

  // --- Operations -----------------------------------------------------------------------------

  std::string AnyModel() { return kModels[world_.Below(2)]; }
  int64_t AnyVersion() { return 1 + world_.Below(kVersions); }
  // Returns an existing version of the model, mostly.
  int64_t KnownVersionOf(const std::string& model) {
    const auto versions = VersionsInFiles(model);
    if (versions.empty() || world_.Below(8) == 0) return AnyVersion();
    return versions[static_cast<size_t>(world_.Below(static_cast<int>(versions.size())))];
  }
  std::optional<int64_t> VersionOrNone(const std::string& model) {
    if (world_.Below(2) == 0) return std::nullopt;
    return KnownVersionOf(model);
  }
  fs::path FolderOf(const std::string& model, int64_t version) const {
    return fs::path(kRoot) / model / Cat(version);
  }

  std::string NewContent(const std::string& model) {
    std::string text = Cat("content ", ++contents_, "\n");
    if (model == kModels[1] && world_.Below(2) == 0) {
      const bool is_label = world_.Below(3) == 0;
      text += is_label ? Cat("imports rate:", kLabels[world_.Below(2)], "\n")
                       : Cat("imports rate/", AnyVersion(), "\n");
    }
    if (world_.Below(8) == 0) text += "fails\n";
    return text + "end\n";
  }
  std::string NewCaptures() { return Cat("captures ", ++contents_, " end"); }

  void WriteManifest(const fs::path& folder) {
    const auto manifest = MakeManifest(world_.files(), folder);
    if (!manifest.ok()) return;
    const auto json = ManifestToJson(*manifest);
    if (json.ok()) world_.files().Write(folder / "manifest.json", *json);
  }

  void Publish(const std::string& model) {
    const fs::path folder = "/srv/new";
    world_.files().Remove(folder);
    world_.files().Write(folder / "model.signet", NewContent(model));
    if (world_.Below(2) == 0) world_.files().Write(folder / "captures.safetensors", NewCaptures());
    if (world_.Below(2) == 0) WriteManifest(folder);
    const fs::path place = FolderOf(model, AnyVersion());
    world_.files().Rename(folder, place);
    Note(Cat("    ", place.native(), ": ", world_.files().Content(place / "model.signet")));
  }

  // Copies a version: its file grows, and the rest follows later.
  void Copy(const std::string& model) {
    const fs::path folder = FolderOf(model, AnyVersion());
    const std::string content = NewContent(model);
    const bool has_manifest = world_.Below(2) == 0;
    const std::string captures = world_.Below(2) == 0 ? NewCaptures() : "";
    world_.files().Write(folder / "model.signet", content.substr(0, content.size() / 2));
    Note(Cat("    begins ", folder.native(), ": ", content));
    copies_.push_back([=, this] {
      if (!world_.files().IsFolder(folder)) return;
      world_.files().Write(folder / "model.signet", content);
    });
    copies_.push_back([=, this] {
      if (!world_.files().IsFolder(folder)) return;
      if (!captures.empty()) world_.files().Write(folder / "captures.safetensors", captures);
      if (has_manifest) WriteManifest(folder);
    });
  }
  // Does the next step of all copies that run.
  void ContinueCopies(bool all) {
    while (!copies_.empty()) {
      copies_.front()();
      copies_.pop_front();
      if (!all) break;
    }
    NoteFiles();
  }

  void WriteSettings(const std::string& model) {
    std::string text;
    switch (world_.Below(4)) {
      case 0:
        text += Cat("version_policy { newest { count: ", 1 + world_.Below(2), " } }\n");
        break;
      case 1:
        text += "version_policy { all {} }\n";
        break;
      case 2:
        text += Cat("version_policy { listed { versions: ", AnyVersion(),
                    " versions: ", AnyVersion(), " } }\n");
        break;
      default:
        break;
    }
    if (world_.Below(2) == 0) {
      text += Cat("labels { key: \"", kLabels[world_.Below(2)], "\" value: ", AnyVersion(), " }\n");
    }
    if (world_.Below(4) == 0) text += "load: ON_DEMAND\n";
    world_.files().Write(fs::path(kRoot) / model / "settings.textproto", text);
    for (const char* label : kLabels) {
      if (text.find(label) == std::string::npos) known_[model].removed_labels.insert(label);
    }
    Note(Cat("    ", model, ": ", text));
  }

  // Returns a function that must be called exactly once.
  std::function<void(Status)> Awaited(const std::string& what) {
    ++awaited_;
    auto calls = std::make_shared<int>(0);
    const size_t process = process_;
    return [this, what, calls, process](const Status& outcome) {
      if (++*calls > 1) Violate("an operation ends once", Cat(what, " ended twice"));
      if (process == process_ && *calls == 1) --awaited_;
      Count(Cat(what, outcome.ok() ? ": OK" : ": error"));
      Note(Cat("    ", what, " ended: ", std::string(MessageOf(outcome))));
    };
  }

  void Act(Operation operation) {
    const std::string model = AnyModel();
    SimulatedFiles& files = world_.files();
    Repository& repository = server_->repository;
    KnownModel& known = known_[model];
    if (world_.Below(3) == 0) ContinueCopies(/*all=*/false);
    switch (operation) {
      case Operation::kPublish:
        return Publish(model);
      case Operation::kCopy:
        return Copy(model);
      case Operation::kChangeContent: {
        const fs::path folder = FolderOf(model, KnownVersionOf(model));
        if (!files.IsFolder(folder)) return;
        files.Write(folder / "model.signet", NewContent(model));
        if (files.Exists(folder / "manifest.json")) WriteManifest(folder);
        return;
      }
      case Operation::kDamage: {
        const fs::path file = FolderOf(model, KnownVersionOf(model)) / "model.signet";
        if (!files.IsFile(file)) return;
        const std::string content = files.Content(file);
        return files.Write(file, content.substr(0, content.size() / 2));
      }
      case Operation::kChangeCaptures: {
        const fs::path folder = FolderOf(model, KnownVersionOf(model));
        if (!files.IsFolder(folder)) return;
        files.Write(folder / "captures.safetensors", NewCaptures());
        if (files.Exists(folder / "manifest.json")) WriteManifest(folder);
        return;
      }
      case Operation::kRemoveVersion:
        return files.Remove(FolderOf(model, KnownVersionOf(model)));
      case Operation::kRemoveModel:
        return files.Remove(fs::path(kRoot) / model);
      case Operation::kMoveModel:
        if (files.IsFolder(fs::path("/srv/away") / model)) {
          files.Remove(fs::path(kRoot) / model);
          return files.Rename(fs::path("/srv/away") / model, fs::path(kRoot) / model);
        }
        files.MakeFolder("/srv/away");
        return files.Rename(fs::path(kRoot) / model, fs::path("/srv/away") / model);
      case Operation::kWriteSettings:
        return WriteSettings(model);
      case Operation::kDamageSettings:
        return files.Write(fs::path(kRoot) / model / "settings.textproto", kWrongSettings);
      case Operation::kRemoveSettings:
        known.removed_labels.insert(std::begin(kLabels), std::end(kLabels));
        return files.Remove(fs::path(kRoot) / model / "settings.textproto");
      case Operation::kSwapRoot: {
        const auto now = files.Resolve(kRoot);
        const bool is_first = now.ok() && *now == fs::path(kFirstFolder);
        for (auto& [name, each] : known_) {
          each.removed_labels.insert(std::begin(kLabels), std::end(kLabels));
        }
        return files.Link(is_first ? kSecondFolder : kFirstFolder, kRoot);
      }
      case Operation::kLoad: {
        const auto version = VersionOrNone(model);
        const auto versions = VersionsInFiles(model);
        const int64_t wanted = version.value_or(versions.empty() ? 0 : versions.back());
        repository.Load(model, version, Awaited("load"));
        if (files.IsFolder(FolderOf(model, wanted))) known.versions[wanted].is_kept = true;
        return;
      }
      case Operation::kLoadSelected:
        repository.LoadSelected(model, Awaited("load selected"));
        for (auto& [number, version] : known.versions) {
          if (version.is_kept && !*version.is_kept) version.is_kept.reset();
        }
        return;
      case Operation::kReload: {
        const auto version = VersionOrNone(model);
        // Keeps what it loads.
        const auto status = repository.StatusOf(model);
        repository.Reload(model, version, Awaited("reload"));
        for (const int64_t number : VersionsInFiles(model)) {
          KnownVersion& each = known.versions[number];
          if (!version || *version == number) each.is_unclear = true;
        }
        return;
      }
      case Operation::kUnload: {
        const auto version = VersionOrNone(model);
        const auto status = repository.StatusOf(model);
        const bool is_done = repository.Unload(model, version).ok();
        Count(is_done ? "unload: OK" : "unload: error");
        if (!is_done) return;
        known.was_unloaded = true;
        for (const VersionStatus& each : status->versions) {
          if (!version || *version == each.version) known.versions[each.version].is_kept = false;
        }
        return;
      }
      case Operation::kSetLabel: {
        const bool is_set =
            repository.SetLabel(model, kLabels[world_.Below(2)], KnownVersionOf(model)).ok();
        Count(is_set ? "set label: OK" : "set label: error");
        known.has_admin_labels = true;
        return;
      }
      case Operation::kRemoveLabel:
        known.removed_labels.insert(std::begin(kLabels), std::end(kLabels));
        known.has_admin_labels = true;
        return repository.RemoveLabel(model, kLabels[world_.Below(2)]).IgnoreError();
      case Operation::kRescan:
        return repository.Rescan(Awaited("rescan"));
      case Operation::kReplaceCaptures:
        return ReplaceCaptures(model, /*persists=*/false);
      case Operation::kPersistCaptures:
        return ReplaceCaptures(model, /*persists=*/true);
      case Operation::kCall:
        return Call(model);
      case Operation::kCheckHealth:
        return CheckHealth();
      case Operation::kWait:
        return Pass(milliseconds(world_.Below(10'000)));
      case Operation::kKill:
        ++process_;
        awaited_ = 0;
        Stop();
        return Start();
      case Operation::kQuiet:
        return BeQuiet();
    }
  }

  void ReplaceCaptures(const std::string& model, bool persists) {
    const auto served = server_->repository.Find(model, VersionOrNone(model));
    if (!served.ok()) return;
    const fs::path file = Cat("/srv/upload", ++contents_);
    world_.files().Write(file, NewCaptures());
    const fs::path target = (*served)->def().files->folder / "captures.safetensors";
    std::function<Status()> persist;
    if (persists) {
      persist = [this, file, target]() -> Status {
        if (!world_.files().IsFolder(target.parent_path())) return NotFound("directory not found");
        world_.files().Rename(file, target);
        if (world_.files().Exists(target.parent_path() / "manifest.json")) {
          WriteManifest(target.parent_path());
        }
        return absl::OkStatus();
      };
    } else {
      known_[model].versions[(*served)->version()].is_unclear = true;  // until it is loaded again
    }
    server_->repository.ReplaceCaptures(
        *served, file, persist,
        [done = Awaited(persists ? "persist captures" : "replace captures")](
            const StatusOr<ReplacedCaptures>& replaced) { done(replaced.status()); });
  }

  void Call(const std::string& model) {
    const int kind = world_.Below(3);
    std::optional<int64_t> version;
    std::string label;
    if (kind == 1) version = KnownVersionOf(model);
    if (kind == 2) label = kLabels[world_.Below(2)];
    auto served = server_->repository.Find(model, version, label);
    if (!served.ok() && ReasonOf(served.status()) == "LOADED_ON_DEMAND") {
      server_->repository.LoadOnDemand(model, version, label, Awaited("load on demand"));
      return;
    }
    Count(served.ok() ? "call: found" : "call: not found");
    if (served.ok()) Hold(*std::move(served));
  }
  // Uses the model for some time.
  void Hold(std::shared_ptr<const LoadedModel> model) {
    ++open_calls_;
    const int id = ++calls_;
    held_[id] = std::move(model);
    world_.PostAfter(milliseconds(3000), [this, id] {
      held_.erase(id);
      --open_calls_;
    });
  }

  // --- What the files say -----------------------------------------------------------------------

  std::vector<int64_t> VersionsInFiles(const std::string& model) const {
    std::vector<int64_t> versions;
    for (int64_t number = 1; number <= kVersions; ++number) {
      if (world_.files().IsFolder(FolderOf(model, number))) versions.push_back(number);
    }
    return versions;
  }
  // Returns true if there is a version, and the version policy of now does not exclude all of them.
  bool HasSelectedVersion(const std::string& model, const std::vector<int64_t>& versions) const {
    const auto status = server_->repository.StatusOf(model);
    if (!status || !status->settings->settings.version_policy().has_listed()) {
      return !versions.empty();
    }
    const auto& listed = status->settings->settings.version_policy().listed().versions();
    return std::any_of(versions.begin(), versions.end(), [&](int64_t version) {
      return std::find(listed.begin(), listed.end(), version) != listed.end();
    });
  }
  void NoteFiles() {
    for (const char* name : kModels) {
      KnownModel& model = known_[name];
      const auto versions = VersionsInFiles(name);
      if (!HasSelectedVersion(name, versions)) model.was_without_versions = true;
      const fs::path settings = fs::path(kRoot) / name / "settings.textproto";
      const bool is_wrong = world_.files().Content(settings) == kWrongSettings;
      if (!is_wrong || versions.empty()) {
        model.began_with_wrong_settings = false;
      } else if (!server_->repository.StatusOf(name)) {
        model.began_with_wrong_settings = true;
      }
      for (int64_t number = 1; number <= kVersions; ++number) {
        KnownVersion& version = model.versions[number];
        const bool exists = std::find(versions.begin(), versions.end(), number) != versions.end();
        version.was_removed = version.was_removed || !exists;
        if (version.was_removed && version.is_kept) version.is_unclear = true;
      }
    }
  }
  // Returns what calls of a version see after it was loaded, or nothing if it does not load.
  std::optional<std::string> AnswerInFiles(const std::string& model, int64_t version) const {
    const fs::path folder = FolderOf(model, version);
    const auto content = ReadContent(world_.files(), folder);
    if (!content || !CheckManifest(world_.files(), folder).ok()) return std::nullopt;
    std::vector<std::string> imported;
    for (const std::string& name : content->imports) {
      const auto reference = ParseModelReference(name);
      if (!reference.ok() || !reference->version) return std::nullopt;
      const fs::path other = FolderOf(reference->name, *reference->version);
      const auto found = ReadContent(world_.files(), other);
      if (!found || !CheckManifest(world_.files(), other).ok()) return std::nullopt;
      imported.push_back(AnswerOf(*found, {}));
    }
    return AnswerOf(*content, imported);
  }

  // --- Rules ------------------------------------------------------------------------------------

  // Rules that hold at each moment.
  void CheckAlways() {
    if (!violation_.empty()) return;
    if (world_.is_stuck()) Violate("time passes", "tasks follow one another without an end");
    if (std::exchange(has_new_settings_, false)) NoteFiles();
    const Repository& repository = server_->repository;
    const std::vector<ModelStatus> models = repository.List();
    bool is_any_servable = false;
    for (const ModelStatus& model : models) {
      bool is_servable = false;
      for (const VersionStatus& version : model.versions) {
        is_servable = is_servable || version.is_servable();
        // "Calls find the versions that `signet list` shows as available."
        const Status found = repository.Find(model.name, version.version).status();
        const bool is_found = found.ok() || ReasonOf(found) == "LOADED_ON_DEMAND";
        if (is_found != version.is_servable()) {
          Violate("the list and calls agree",
                  Cat(model.name, "/", version.version, ": ", std::string(MessageOf(found))));
        }
      }
      is_any_servable = is_any_servable || is_servable;
      const Status found = repository.Find(model.name).status();
      const bool is_found = found.ok() || ReasonOf(found) == "LOADED_ON_DEMAND";
      if (is_found != is_servable) {
        Violate("the list and calls agree", Cat(model.name, ": ", std::string(MessageOf(found))));
      }
      // "Health and readiness report the same."
      if (server_->states.Watched(model.name) != is_servable) {
        Violate("health and the list agree", Cat("watched state of ", model.name));
      }
    }
    // "A server that was ready is ready while one version of one model is available."
    const bool is_ready = server_->states.Watched("");
    if (is_ready && !is_any_servable) Violate("health and the list agree", "ready without a model");
    if (was_ready_ && is_any_servable && !is_ready && process_ == ready_process_) {
      Violate("a server that was ready is ready while a model is available", "not ready");
    }
    if (is_ready) {
      was_ready_ = true;
      ready_process_ = process_;
    }
    if (process_ != ready_process_) was_ready_ = false;
    // "A model that can be called can be called during an update, a rollback, and a reload."
    // A version that is loaded at its first
    // call may turn out to be bad then.
    for (const char* name : kModels) {
      KnownModel& known = known_[name];
      const Status found = repository.Find(name).status();
      const bool is_servable = found.ok() || ReasonOf(found) == "LOADED_ON_DEMAND";
      const bool is_permitted = known.was_unloaded || known.was_without_versions;
      if (known.is_available && !is_servable && !is_permitted) {
        Violate("no update leaves a gap", Cat(name, ": ", std::string(MessageOf(found))));
      }
      known.is_available = found.ok();
      CheckLabels(name, known, is_permitted);
    }
    // "The models together use at most `--model_memory_bytes`."
    if (memory_bytes_ > 0 && repository.memory_bytes() > memory_bytes_) {
      Violate("memory is limited", Cat(repository.memory_bytes(), " bytes"));
    }
  }

  // "A label moves when its new version is available." So calls by a label have no gap,
  // either.
  void CheckLabels(const std::string& name, KnownModel& known, bool is_permitted) {
    const bool was_removed = std::any_of(known.versions.begin(), known.versions.end(),
                                         [](const auto& each) { return each.second.was_removed; });
    for (const char* label : kLabels) {
      const Status found = server_->repository.Find(name, std::nullopt, label).status();
      const bool was_found = known.labels.contains(label);
      if (was_found && !found.ok() && !is_permitted && !known.removed_labels.contains(label) &&
          !was_removed && ReasonOf(found) != "LOADED_ON_DEMAND") {
        Violate("no update leaves a gap for a label",
                Cat(name, ":", label, ": ", std::string(MessageOf(found))));
      }
      if (found.ok()) known.labels.insert(label);
      if (!found.ok()) known.labels.erase(label);
    }
  }

  void CheckHealth() {
    for (const char* name : kModels) {
      const auto status = server_->repository.StatusOf(name);
      const bool is_servable =
          status && std::any_of(status->versions.begin(), status->versions.end(),
                                [](const VersionStatus& each) { return each.is_servable(); });
      if (server_->states.Check(name) != is_servable) {
        Violate("health and the list agree", Cat("state of ", name));
      }
    }
    const bool is_ready = server_->states.Check("");
    if (is_ready != server_->health.CheckServer().ok()) {
      Violate("health and readiness agree", is_ready ? "ready" : "not ready");
    }
  }

  // Nothing changes for a long time. Then everything is as the files say.
  void BeQuiet() {
    ContinueCopies(/*all=*/true);
    // What changes between two examinations one second apart is not loaded yet. Captures that an
    // earlier operation persists are such a change.
    for (int i = 0; poll_.count() == 0 && i < 2; ++i) {
      Pass(milliseconds(10'000));
      server_->repository.Rescan(Awaited("rescan"));
    }
    Pass(kQuietTime);
    CheckHealth();
    // "Every request of an administrator ends exactly once."
    if (awaited_ != 0) Violate("every operation ends", Cat(awaited_, " did not end"));
    if (!server_->repository.IsSettled()) Violate("after quiet, nothing runs", "");
    for (const char* name : kModels) CheckQuietModel(name);
    CheckImports();
    int64_t bytes = 0;
    for (const ModelStatus& model : server_->repository.List()) {
      for (const VersionStatus& version : model.versions) {
        bytes += version.memory_bytes;
        if (!version.progress.empty()) {
          Violate("after quiet, nothing runs",
                  Cat(model.name, "/", version.version, ": ", version.progress));
        }
      }
    }
    if (bytes != server_->repository.memory_bytes()) {
      Violate("after quiet, memory is that of the versions",
              Cat(server_->repository.memory_bytes(), " bytes, of versions ", bytes));
    }
    if (world_.Below(4) == 0) CompareWithFreshServer();
    for (auto& [name, model] : known_) {
      model.was_unloaded = false;
      model.removed_labels.clear();
      model.was_without_versions = !HasSelectedVersion(name, VersionsInFiles(name));
      std::erase_if(model.versions, [&, &model_name = name](const auto& item) {
        return !server_->repository.StatusOf(model_name) ||
               !world_.files().IsFolder(FolderOf(model_name, item.first));
      });
      for (auto& [number, version] : model.versions) {
        version.was_removed = false;
        // An unloaded model is not servable until an administrator loads it.
        if (version.is_kept && !*version.is_kept) model.was_unloaded = true;
      }
    }
  }

  // "A server serves what a server would serve that starts now, except for what an administrator
  // changed, and for versions that replace others only when they can be loaded." So nothing is
  // compared if an administrator changed something, or a version cannot be loaded.
  void CompareWithFreshServer() {
    if (memory_bytes_ > 0) return;
    for (const auto& [name, known] : known_) {
      const bool has_admin = std::any_of(
          known.versions.begin(), known.versions.end(),
          [](const auto& each) { return each.second.is_kept || each.second.is_unclear; });
      if (has_admin || known.has_admin_labels) return;
    }
    Server fresh(Options(), policy_);
    fresh.repository.Watch(poll_);
    (void)fresh.repository.Open({{.folder = kRoot}});
    Pass(milliseconds(30'000));
    for (const char* name : kModels) {
      const auto expected = ServedBy(fresh.repository, name);
      const auto found = ServedBy(server_->repository, name);
      // A version that the policy no longer selects is served while it selects no other one.
      if (!expected || !found || expected->empty()) continue;
      Count("compared with a fresh server");
      if (*found != *expected) {
        Violate("a server serves what a fresh one does",
                Cat(name, ": expected ", *expected, ", found ", *found));
      }
    }
    fresh.repository.StopWatching();
  }
  // Returns the available versions and their answers, or nothing if one could not be loaded.
  static std::optional<std::string> ServedBy(const Repository& repository,
                                             const std::string& model) {
    const auto status = repository.StatusOf(model);
    if (!status) return "";
    if (!status->settings_error.empty()) return std::nullopt;
    std::string served;
    for (const VersionStatus& version : status->versions) {
      const bool is_loaded = version.state == State::kAvailable;
      if (version.state == State::kFailed || (is_loaded && !version.reason.empty())) {
        return std::nullopt;
      }
      if (version.is_on_demand) return std::nullopt;
      if (!is_loaded) continue;
      const auto found = repository.Find(model, version.version);
      served += Cat(version.version, ": ", found.ok() ? AnswerOf(**found) : "none", "; ");
    }
    return served;
  }

  // "A version that imports another one has the content and the captures of the version that is
  // served." Unless it could not be loaded again.
  void CheckImports() {
    const std::string importing = kModels[1];
    const auto status = server_->repository.StatusOf(importing);
    if (!status || !status->settings_error.empty()) return;
    for (const VersionStatus& version : status->versions) {
      const bool is_loaded = version.state == State::kAvailable && version.reason.empty();
      // A version that is not selected is no longer loaded again, but served while it is the last.
      if (!is_loaded || !HasSelectedVersion(importing, {version.version})) continue;
      const auto model = server_->repository.Find(importing, version.version);
      for (const std::string& name : ImportsOf(**model)) {
        const auto reference = ParseModelReference(name);
        const auto imported =
            server_->repository.Find(reference->name, reference->version, reference->label);
        if (!imported.ok()) continue;
        Count("compared with an import");
        const std::string expected = Cat(name, " = ", AnswerOf(**imported));
        if (AnswerOf(**model).find(expected) == std::string::npos) {
          Violate("importing versions have what is served",
                  Cat(importing, "/", version.version, ": expected ", expected, ", found ",
                      AnswerOf(**model)));
        }
      }
    }
  }

  static bool HasReason(const ModelStatus& model, int64_t number) {
    return std::any_of(
        model.versions.begin(), model.versions.end(),
        [&](const VersionStatus& each) { return each.version == number && !each.reason.empty(); });
  }

  // "When files no longer change, the selected versions that can be loaded are served, and calls
  // see what their files contain." "What an administrator unloaded stays unloaded until a load is
  // requested."
  void CheckQuietModel(const std::string& name) {
    const KnownModel& known = known_[name];
    const auto status = server_->repository.StatusOf(name);
    const auto versions = VersionsInFiles(name);
    if (!status) {
      if (!versions.empty()) Violate("every model is listed", name);
      return;
    }
    // "A new model with wrong settings is not served."
    if (known.began_with_wrong_settings && server_->repository.Find(name).ok()) {
      Violate("a new model with wrong settings is not served", name);
    }
    if (!status->settings_error.empty()) return;  // the settings in effect depend on the past
    const v1::ModelSettings& settings = status->settings->settings;
    const v1::VersionPolicy& policy = settings.version_policy();
    int64_t room = policy.has_newest() ? policy.newest().count() : INT64_MAX;
    const auto& listed = policy.listed().versions();
    for (auto it = versions.rbegin(); it != versions.rend(); ++it) {
      const int64_t number = *it;
      const auto version = known.versions.find(number);
      if (version != known.versions.end() && version->second.is_unclear) return;
      const bool is_known = version != known.versions.end() && version->second.is_kept;
      if (is_known && !*version->second.is_kept) {
        if (server_->repository.Find(name, number).ok()) {
          Violate("what an administrator unloads stays unloaded", Cat(name, "/", number));
        }
        continue;
      }
      bool is_wanted = is_known && *version->second.is_kept;
      if (policy.has_listed()) {
        is_wanted = is_wanted || std::find(listed.begin(), listed.end(), number) != listed.end();
      } else if (room > 0) {
        is_wanted = true;
      }
      const auto answer = AnswerInFiles(name, number);
      const auto content = ReadContent(world_.files(), FolderOf(name, number));
      if (content && !content->imports.empty()) return;  // depends on more than one model
      const auto found = server_->repository.Find(name, number);
      // A version that cannot be loaded leaves its place to an older one, unless earlier content of
      // it is served.
      const bool is_on_demand = ReasonOf(found.status()) == "LOADED_ON_DEMAND";
      if (answer || found.ok() || is_on_demand) --room;
      if (!is_wanted || !answer) continue;
      if (is_on_demand) continue;
      if (memory_bytes_ > 0 && HasReason(*status, number)) continue;  // there may be no room
      if (!found.ok()) {
        Violate("a selected version serves",
                Cat(name, "/", number, ": ", std::string(MessageOf(found.status()))));
      } else if (AnswerOf(**found) != *answer) {
        Violate("calls see the files of a version",
                Cat(name, "/", number, ": expected ", *answer, ", found ", AnswerOf(**found)));
      }
    }
  }

  World world_;
  SimulatedModels models_{world_};
  Coverage* const coverage_;
  const bool with_account_;
  std::string account_;
  milliseconds poll_{0};
  ReadyPolicy policy_ = ReadyPolicy::kAny;
  bool is_on_demand_ = false;
  int load_threads_ = 1;
  int64_t memory_bytes_ = 0;
  std::unique_ptr<Server> server_;
  std::map<std::string, KnownModel> known_;
  std::deque<std::function<void()>> copies_;
  std::map<int, std::shared_ptr<const LoadedModel>> held_;
  int open_calls_ = 0;
  int calls_ = 0;
  int contents_ = 0;
  int awaited_ = 0;
  size_t process_ = 0;
  size_t ready_process_ = 0;
  bool was_ready_ = false;
  bool has_new_settings_ = false;
  std::string violation_;
};

constexpr const char* kNames[] = {"publish",
                                  "copy",
                                  "change content",
                                  "damage",
                                  "change captures",
                                  "remove version",
                                  "remove model",
                                  "move model",
                                  "write settings",
                                  "damage settings",
                                  "remove settings",
                                  "swap root",
                                  "load",
                                  "load selected",
                                  "reload",
                                  "unload",
                                  "set label",
                                  "remove label",
                                  "rescan",
                                  "replace captures",
                                  "persist captures",
                                  "call",
                                  "check health",
                                  "wait",
                                  "kill",
                                  "quiet"};
static_assert(std::size(kNames) == kOperations);

// How often each operation occurs.
constexpr int kWeights[] = {12, 6, 6, 3, 6, 5, 1, 2, 4,  1, 2, 1, 6,
                            2,  3, 3, 4, 1, 2, 3, 2, 24, 3, 8, 1, 1};
static_assert(std::size(kWeights) == kOperations);

}  // namespace

std::string NameOf(Operation operation) { return kNames[static_cast<int>(operation)]; }

void Coverage::Add(const Coverage& other) {
  for (const auto& [what, count] : other.counts) counts[what] += count;
  operations += other.operations;
}

History RandomHistory(uint64_t seed) {
  std::mt19937_64 random(seed);
  History history;
  history.seed = random();
  std::discrete_distribution<int> any(std::begin(kWeights), std::end(kWeights));
  // Most servers have models when they start to be changed.
  if (random() % 4 != 0) {
    for (int i = 0; i < 4; ++i) history.steps.push_back({Operation::kPublish, random()});
    history.steps.push_back({Operation::kQuiet, random()});
  }
  const size_t length = 10 + random() % 90;
  for (size_t i = 0; i < length; ++i) {
    history.steps.push_back({static_cast<Operation>(any(random)), random()});
  }
  history.steps.push_back({Operation::kQuiet, random()});
  return history;
}

Outcome Simulate(const History& history, Coverage* coverage, bool with_account) {
  Simulation simulation(history.seed, coverage, with_account);
  Outcome outcome;
  for (const Step& step : history.steps) {
    ++outcome.steps;
    outcome.violation = simulation.Do(step);
    if (!outcome.violation.empty()) break;
  }
  outcome.account = simulation.account();
  if (coverage != nullptr) coverage->operations += static_cast<int64_t>(outcome.steps);
  return outcome;
}

History Shrink(const History& history) {
  History least = history;
  least.steps.resize(std::min(least.steps.size(), Simulate(history, nullptr).steps));
  for (size_t size = least.steps.size() / 2; size > 0; size /= 2) {
    for (size_t i = 0; i + size <= least.steps.size();) {
      History fewer = least;
      fewer.steps.erase(fewer.steps.begin() + static_cast<ptrdiff_t>(i),
                        fewer.steps.begin() + static_cast<ptrdiff_t>(i + size));
      const Outcome outcome = Simulate(fewer, nullptr);
      if (outcome.violation.empty()) {
        i += size;
      } else {
        fewer.steps.resize(outcome.steps);
        least = std::move(fewer);
      }
    }
  }
  return least;
}

std::string Describe(const History& history) {
  const Outcome outcome = Simulate(history, nullptr, /*with_account=*/true);
  return Cat(history.steps.size(), " steps:\n", outcome.account, outcome.violation);
}

}  // namespace signet
