#include "server/protocols/signet/admin_service.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <future>
#include <optional>
#include <set>

#include "core/base/nearest_name.h"
#include "core/model/native/model_files.h"
#include "core/model/native/replace_captures.h"
#include "core/serving/repository/manifest.h"
#include "server/observability/log.h"
#include "server/protocols/signet/capture_upload.h"
#include "server/protocols/signet/errors.h"
#include "server/protocols/signet/list_models.h"
#include "server/protocols/signet/stall_watch.h"

namespace signet {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;

constexpr milliseconds kPollInterval(50);  // between two checks whether a call has ended
constexpr size_t kMaxChunkBytes = size_t{1} << 20;
constexpr int64_t kMaxHeaderBytes = int64_t{16} << 20;  // of an uploaded safetensors file
constexpr size_t kMaxNameBytes = 256;                   // of a label or a revision

// The outcome of an operation that another thread completes.
struct Outcome {
  std::mutex mu;
  std::condition_variable done;
  std::optional<Status> status;  // guarded by mu
};

template <class Request>
std::optional<int64_t> VersionOf(const Request& request) {
  return request.has_version() ? std::optional(request.version()) : std::nullopt;
}

StatusOr<ModelStatus> FindStatus(const Repository& repository, const std::string& model) {
  if (auto status = repository.StatusOf(model)) return *std::move(status);
  std::vector<std::string> names;
  for (const ModelStatus& status : repository.List()) names.push_back(status.name);
  const std::string hint = NearestHint(model, names);
  return NotFound("model `", Printable(model), "` not found", hint,
                  "; models: ", ListNames(std::move(names)));
}

// Returns the status of one version, or of the newest one if none is given. NOT_FOUND lists the
// versions.
StatusOr<VersionStatus> FindVersion(const ModelStatus& model, std::optional<int64_t> version) {
  if (!version && !model.versions.empty()) return model.versions.back();
  std::vector<std::string> versions;
  for (const VersionStatus& found : model.versions) {
    if (found.version == version) return found;
    versions.push_back(Cat(found.version));
  }
  return NotFound("model `", Printable(model.name), "`: version ", version.value_or(0),
                  " not found; versions: ", versions.empty() ? "none" : Join(versions, ", "));
}

Status CheckName(std::string_view what, const std::string& name) {
  if (!name.empty() && name.size() <= kMaxNameBytes) return absl::OkStatus();
  return InvalidArgument(what, ": expected 1 to ", kMaxNameBytes, " bytes, found ", name.size());
}

void AddModel(const Repository& repository, const std::string& model,
              v1::ChangeResponse& response) {
  if (auto status = repository.StatusOf(model)) {
    *response.add_models() = ModelInfoOf(repository, *status);
  }
}

// The size of a captures.safetensors that replaces the captures of `model`, at most.
int64_t MaxUploadBytes(const LoadedModel& model) {
  int64_t bytes = kMaxHeaderBytes;
  for (const auto& file : model.def().captures_files) {
    bytes += static_cast<int64_t>(file->bytes().size());
  }
  return bytes;
}

// Moves the uploaded captures to `folder`, and writes its manifest again if it has one. In between
// there is no manifest, so that a server that stops there leaves a version that can be loaded.
Status PersistCaptures(CaptureUpload& upload, const fs::path& folder) {
  const bool has_manifest = HasManifest(SystemFiles(), folder);
  std::error_code error;
  if (has_manifest && !fs::remove(folder / kManifestFile, error)) {
    return FailedPrecondition("cannot replace ", kManifestFile, ": ", error.message());
  }
  SIGNET_RETURN_IF_ERROR(upload.MoveTo(folder / kCapturesFile));
  if (!has_manifest) return absl::OkStatus();
  SIGNET_ASSIGN_OR_RETURN(v1::Manifest manifest, MakeManifest(SystemFiles(), folder));
  SIGNET_ASSIGN_OR_RETURN(std::string text, ManifestToJson(manifest));
  SIGNET_ASSIGN_OR_RETURN(CaptureUpload file,
                          CaptureUpload::Begin(folder, static_cast<int64_t>(text.size())));
  SIGNET_RETURN_IF_ERROR(file.Append(text));
  return file.MoveTo(folder / kManifestFile);
}

}  // namespace

// --- calls --------------------------------------------------------------------------------------

grpc::Status AdminService::Perform(const char* rpc, const std::string& model,
                                   grpc::ServerContext& context,
                                   const std::function<signet::Status()>& call) {
  server_.listener.NoteCall(context);
  signet::Status status = server_.access.AuthorizeAdmin(context);
  if (status.ok() && num_calls_.fetch_add(1) >= kMaxCalls) {
    num_calls_.fetch_sub(1);
    status = ResourceExhausted("more than ", kMaxCalls, " calls of AdminService at a time");
  } else if (status.ok()) {
    status = call();
    num_calls_.fetch_sub(1);
  }
  Log(status.ok() ? LogLevel::kInfo : LogLevel::kWarning, "admin",
      {{"rpc", rpc},
       {"model", model},
       {"peer", context.peer()},
       {"status", std::string(absl::StatusCodeToString(status.code()))},
       {"reason", std::string(MessageOf(status))}});
  return GrpcStatusOf(status);
}

signet::Status AdminService::Run(const grpc::ServerContext& context, const Operation& start,
                                 bool waits) const {
  auto outcome = std::make_shared<Outcome>();
  start([outcome](signet::Status status) {
    std::lock_guard lock(outcome->mu);
    outcome->status = std::move(status);
    outcome->done.notify_all();
  });
  std::unique_lock lock(outcome->mu);
  while (!outcome->status) {
    if (!waits) return absl::OkStatus();
    if (context.IsCancelled()) return Cancelled("the call ended; the operation continues");
    if (server_.draining) return Unavailable("the server is stopping");
    outcome->done.wait_for(lock, kPollInterval);
  }
  return *outcome->status;
}

grpc::Status AdminService::Load(grpc::ServerContext* context, const v1::LoadRequest* request,
                                v1::ChangeResponse* response) {
  return Perform("Load", request->model(), *context, [&]() -> signet::Status {
    Repository& repository = server_.repository;
    auto load = [&](std::function<void(signet::Status)> done) {
      response->set_changed(repository.Load(request->model(), VersionOf(*request), std::move(done),
                                            request->dry_run()));
    };
    SIGNET_RETURN_IF_ERROR(Run(*context, load, /*waits=*/!request->no_wait()));
    AddModel(repository, request->model(), *response);
    return absl::OkStatus();
  });
}

grpc::Status AdminService::Unload(grpc::ServerContext* context, const v1::UnloadRequest* request,
                                  v1::ChangeResponse* response) {
  return Perform("Unload", request->model(), *context, [&]() -> signet::Status {
    Repository& repository = server_.repository;
    SIGNET_ASSIGN_OR_RETURN(ModelStatus before, FindStatus(repository, request->model()));
    const auto number = VersionOf(*request);
    if (number) SIGNET_RETURN_IF_ERROR(FindVersion(before, number).status());
    SIGNET_RETURN_IF_ERROR(repository.Unload(request->model(), number, request->dry_run()));
    for (const VersionStatus& version : before.versions) {
      const bool is_named = !number || version.version == number;
      const bool is_loaded = version.state == VersionStatus::State::kAvailable ||
                             version.state == VersionStatus::State::kLoading ||
                             version.is_servable();
      if (is_named && is_loaded) response->set_changed(true);
    }
    AddModel(repository, request->model(), *response);
    return absl::OkStatus();
  });
}

grpc::Status AdminService::Reload(grpc::ServerContext* context, const v1::ReloadRequest* request,
                                  v1::ChangeResponse* response) {
  return Perform("Reload", request->model(), *context, [&]() -> signet::Status {
    Repository& repository = server_.repository;
    if (request->model().empty()) {
      if (request->has_version()) return InvalidArgument("`version`: expected a `model`, too");
      std::map<std::string, std::string> before;
      auto text_of = [&](const ModelStatus& status) {
        return ModelInfoOf(repository, status).SerializeAsString();
      };
      for (const ModelStatus& status : repository.List()) before[status.name] = text_of(status);
      if (!request->dry_run()) {
        auto rescan = [&](std::function<void(signet::Status)> done) {
          repository.Rescan(std::move(done));
        };
        SIGNET_RETURN_IF_ERROR(Run(*context, rescan, /*waits=*/true));
      }
      if (!request->no_wait() && !request->dry_run()) {
        while (!repository.WaitUntilSettled(kPollInterval)) {
          if (context->IsCancelled()) return Cancelled("the call ended; the loads continue");
          if (server_.draining) return Unavailable("the server is stopping");
        }
      }
      std::vector<ModelStatus> after = repository.List();
      for (const ModelStatus& status : after) {
        auto found = before.find(status.name);
        if (found == before.end() || found->second != text_of(status)) {
          *response->add_models() = ModelInfoOf(repository, status);
        }
      }
      response->set_changed(response->models_size() > 0 || after.size() != before.size());
      return absl::OkStatus();
    }
    auto reload = [&](std::function<void(signet::Status)> done) {
      repository.Reload(request->model(), VersionOf(*request), std::move(done), request->dry_run());
    };
    SIGNET_RETURN_IF_ERROR(Run(*context, reload, /*waits=*/!request->no_wait()));
    response->set_changed(true);
    AddModel(repository, request->model(), *response);
    return absl::OkStatus();
  });
}

grpc::Status AdminService::SetLabel(grpc::ServerContext* context,
                                    const v1::SetLabelRequest* request,
                                    v1::ChangeResponse* response) {
  return Perform("SetLabel", request->model(), *context, [&]() -> signet::Status {
    Repository& repository = server_.repository;
    SIGNET_RETURN_IF_ERROR(CheckName("`label`", request->label()));
    SIGNET_ASSIGN_OR_RETURN(ModelStatus before, FindStatus(repository, request->model()));
    SIGNET_RETURN_IF_ERROR(FindVersion(before, request->version()).status());
    SIGNET_RETURN_IF_ERROR(repository.SetLabel(request->model(), request->label(),
                                               request->version(), request->dry_run()));
    auto label = before.labels.find(request->label());
    response->set_changed(label == before.labels.end() || label->second != request->version());
    AddModel(repository, request->model(), *response);
    return absl::OkStatus();
  });
}

grpc::Status AdminService::RemoveLabel(grpc::ServerContext* context,
                                       const v1::RemoveLabelRequest* request,
                                       v1::ChangeResponse* response) {
  return Perform("RemoveLabel", request->model(), *context, [&]() -> signet::Status {
    Repository& repository = server_.repository;
    SIGNET_RETURN_IF_ERROR(CheckName("`label`", request->label()));
    SIGNET_ASSIGN_OR_RETURN(ModelStatus before, FindStatus(repository, request->model()));
    SIGNET_RETURN_IF_ERROR(
        repository.RemoveLabel(request->model(), request->label(), request->dry_run()));
    response->set_changed(before.labels.contains(request->label()));
    AddModel(repository, request->model(), *response);
    return absl::OkStatus();
  });
}

grpc::Status AdminService::Drain(grpc::ServerContext* context, const v1::DrainRequest* request,
                                 v1::DrainResponse* response) {
  return Perform("Drain", "", *context, [&]() -> signet::Status {
    if (request->dry_run()) {
      response->set_changed(!is_drain_requested_ && !server_.draining);
      return absl::OkStatus();
    }
    response->set_changed(!is_drain_requested_.exchange(true) && !server_.draining);
    if (response->changed()) options_.drain();
    return absl::OkStatus();
  });
}

// --- captures -----------------------------------------------------------------------------------

grpc::Status AdminService::ReplaceCaptures(grpc::ServerContext* context,
                                           grpc::ServerReader<v1::ReplaceCapturesRequest>* reader,
                                           v1::ReplaceCapturesResponse* response) {
  std::string model;
  return Perform("ReplaceCaptures", model, *context, [&]() -> signet::Status {
    StallWatch watch(*context, server_.transport.stall_seconds);
    v1::ReplaceCapturesRequest first;
    if (!reader->Read(&first) || !first.has_start()) {
      return InvalidArgument("expected `start` in the first message");
    }
    model = first.start().model();
    return ReplaceCapturesFrom(first.start(), *reader, watch, *response);
  });
}

StatusOr<fs::path> AdminService::FindFile(const std::string& name) const {
  std::error_code error;
  // The system reads a name only up to a NUL.
  const bool is_name = name.find('\0') == name.npos;
  for (const fs::path& root : is_name ? options_.roots : std::vector<fs::path>()) {
    const fs::path canonical_root = fs::canonical(root, error);
    if (error) continue;
    const fs::path file = fs::canonical(canonical_root / name, error);
    if (error || !fs::is_regular_file(file, error)) continue;
    const auto difference =
        std::mismatch(canonical_root.begin(), canonical_root.end(), file.begin(), file.end());
    if (difference.first == canonical_root.end()) return file;
  }
  // One error for a file outside of the directories and one that does not exist.
  return NotFound("`file`: expected a file below a directory of models, found `", Printable(name),
                  "`");
}

signet::Status AdminService::ReplaceCapturesFrom(
    const v1::ReplaceCapturesRequest::Start& start,
    grpc::ServerReader<v1::ReplaceCapturesRequest>& reader, StallWatch& watch,
    v1::ReplaceCapturesResponse& response) {
  Repository& repository = server_.repository;
  if (start.revision().size() > kMaxNameBytes) {
    return InvalidArgument("`revision`: expected at most ", kMaxNameBytes, " bytes, found ",
                           start.revision().size());
  }
  if (start.persist() && !start.file().empty()) {
    return InvalidArgument("`persist` and `file` are mutually exclusive");
  }
  SIGNET_ASSIGN_OR_RETURN(auto model, repository.Find(start.model(), VersionOf(start)));
  if (!model->def().files) return CheckCaptures(*model, {}).status();
  const fs::path folder = model->def().files->folder;

  std::optional<CaptureUpload> upload;
  fs::path file;
  if (!start.file().empty()) {
    SIGNET_ASSIGN_OR_RETURN(file, FindFile(start.file()));
  } else {
    const bool is_kept = start.persist() && !start.dry_run();
    SIGNET_ASSIGN_OR_RETURN(
        CaptureUpload begun,
        CaptureUpload::Begin(is_kept ? folder : options_.upload_directory, MaxUploadBytes(*model)));
    upload.emplace(std::move(begun));
    for (v1::ReplaceCapturesRequest message; reader.Read(&message);) {
      watch.NoteProgress();
      if (message.has_start()) return InvalidArgument("expected `chunk` after the first message");
      if (message.chunk().size() > kMaxChunkBytes) {
        return InvalidArgument("`chunk`: expected at most ", kMaxChunkBytes, " bytes, found ",
                               message.chunk().size());
      }
      SIGNET_RETURN_IF_ERROR(upload->Append(message.chunk()));
    }
    // Without an end of the messages, the file may be incomplete.
    if (watch.Stop()) {
      return MakeStatus(absl::StatusCode::kDeadlineExceeded,
                        Cat("captures.safetensors: no bytes for ", server_.transport.stall_seconds,
                            " seconds (--stall_seconds)"));
    }
    if (watch.is_cancelled()) return Cancelled("the call ended before the last chunk");
    file = upload->path();
  }
  watch.Stop();

  std::lock_guard lock(replacing_);
  // While the bytes were received, another version may have become the newest one.
  SIGNET_ASSIGN_OR_RETURN(model, repository.Find(start.model(), model->version()));
  response.set_version(model->version());
  if (start.dry_run()) {
    SIGNET_ASSIGN_OR_RETURN(bool differs, CheckCaptures(*model, file));
    response.set_changed(differs || start.revision() != RevisionOf(model));
    return absl::OkStatus();
  }
  auto persist = [&] { return PersistCaptures(*upload, folder); };
  std::promise<StatusOr<ReplacedCaptures>> outcome;
  repository.ReplaceCaptures(
      model, file, start.persist() ? std::function<signet::Status()>(persist) : nullptr,
      [&](StatusOr<ReplacedCaptures> replaced) { outcome.set_value(std::move(replaced)); });
  SIGNET_ASSIGN_OR_RETURN(ReplacedCaptures replaced, outcome.get_future().get());
  response.set_changed(replaced.changed || start.revision() != RevisionOf(model));
  SetRevision(replaced.model, start.revision());
  response.set_functions_kept(static_cast<int64_t>(replaced.functions.kept));
  response.set_functions_rebuilt(static_cast<int64_t>(replaced.functions.rebuilt));
  response.set_functions_specialized(static_cast<int64_t>(replaced.functions.specialized));
  return absl::OkStatus();
}

std::string AdminService::RevisionOf(const std::shared_ptr<const LoadedModel>& model) const {
  std::lock_guard lock(mu_);
  auto found = revisions_.find({model->name(), model->version()});
  const bool is_same = found != revisions_.end() && found->second.model.lock() == model;
  return is_same ? found->second.name : "";
}

void AdminService::SetRevision(const std::shared_ptr<const LoadedModel>& model,
                               const std::string& name) {
  std::lock_guard lock(mu_);
  std::erase_if(revisions_, [](const auto& item) { return item.second.model.expired(); });
  revisions_.insert_or_assign({model->name(), model->version()}, Revision{model, name});
}

// --- status -------------------------------------------------------------------------------------

v1::ModelDetails AdminService::DetailsOf(const ModelStatus& status) const {
  v1::ModelDetails out;
  *out.mutable_info() = ModelInfoOf(server_.repository, status);
  if (status.settings != nullptr) {
    *out.mutable_settings() = status.settings->settings;
    for (const auto& [setting, origin] : status.settings->origins) {
      (*out.mutable_setting_origins())[setting] = origin;
    }
  }
  for (const VersionStatus& version : status.versions) {
    if (version.state != VersionStatus::State::kAvailable) continue;
    auto model = server_.repository.Find(status.name, version.version);
    if (!model.ok()) continue;
    v1::VersionDetails& details = *out.add_versions();
    details.set_version(version.version);
    for (const auto& [name, capture] : (*model)->def().captures) {
      details.set_capture_count(details.capture_count() + 1);
      details.set_capture_bytes(details.capture_bytes() +
                                static_cast<int64_t>(capture.num_bytes()));
    }
    details.set_captures_revision(RevisionOf(*model));
    for (const auto& function : (*model)->functions()) {
      if (IsInternal(function->def().name)) continue;
      const FunctionCacheStats stats = function->cache_stats();
      v1::FunctionStatistics& counts = *details.add_functions();
      counts.set_name(function->def().name);
      counts.set_concrete_functions(static_cast<int64_t>(stats.targets));
      counts.set_bytes(stats.bytes);
      counts.set_hits(static_cast<int64_t>(stats.hits + stats.supertype_hits));
      counts.set_specializations(static_cast<int64_t>(stats.specializations));
      counts.set_evictions(static_cast<int64_t>(stats.evictions));
    }
  }
  return out;
}

grpc::Status AdminService::Status(grpc::ServerContext* context, const v1::StatusRequest* request,
                                  v1::StatusResponse* response) {
  return Perform("Status", request->model(), *context, [&]() -> signet::Status {
    if (request->model().empty()) {
      for (const ModelStatus& status : server_.repository.List()) {
        *response->add_models() = DetailsOf(status);
      }
    } else {
      SIGNET_ASSIGN_OR_RETURN(ModelStatus status, FindStatus(server_.repository, request->model()));
      *response->add_models() = DetailsOf(status);
    }
    response->set_draining(is_drain_requested_ || server_.draining);
    response->set_calls_in_flight(static_cast<int64_t>(server_.stats.in_flight.load()));
    response->set_connections(server_.listener.num_connections());
    response->set_model_memory_bytes(server_.repository.memory_bytes());
    return absl::OkStatus();
  });
}

}  // namespace signet
