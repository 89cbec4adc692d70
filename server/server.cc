#include "server/server.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include <grpcpp/resource_quota.h>
#include <grpcpp/security/server_credentials.h>

#include "core/serving/call/warm_up.h"
#include "server/observability/log.h"
#include "server/process.h"

namespace signet {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// The time between NOT_SERVING and the end of listening, in which load balancers see the new state.
constexpr milliseconds kHealthNotice(500);
// The time after the last response, in which gRPC sends it.
constexpr milliseconds kFlush(50);
// The time after the end of the connections, in which clients close them.
constexpr milliseconds kLinger(500);

int ThreadsOf(const ServerOptions& options) {
  return options.compute_threads > 0 ? options.compute_threads : AvailableProcessors();
}

// Writes another file and renames it, so that a reader never sees an incomplete file.
Status WritePortFile(const std::filesystem::path& path, int port) {
  std::filesystem::path aside = path;
  aside += ".new";
  std::error_code error;
  {
    std::ofstream file(aside);
    file << port << "\n";
    if (!file.flush()) error = std::make_error_code(std::errc::io_error);
  }
  if (!error) std::filesystem::rename(aside, path, error);
  if (!error) return absl::OkStatus();
  return FailedPrecondition("--port_file: cannot write `", path.string(), "`: ", error.message());
}

RepositoryOptions RepositoryOptionsOf(const ServerOptions& options) {
  RepositoryOptions out;
  if (options.version_policy.policy_case() != v1::VersionPolicy::POLICY_NOT_SET) {
    *out.flags.mutable_version_policy() = options.version_policy;
  }
  if (options.load_on_demand) out.flags.set_load(v1::ModelSettings::ON_DEMAND);
  if (!options.warm_up_examples) out.flags.mutable_warm_up()->set_examples(false);
  out.memory_bytes = options.model_memory_bytes;
  out.load_threads = options.load_threads;
  out.warm_up = WarmUpWith(options.limits);
  return out;
}

std::vector<ModelSource> SourcesOf(const ServerOptions& options) {
  std::vector<ModelSource> sources;
  if (!options.models.empty()) sources.push_back({.folder = options.models});
  sources.insert(sources.end(), options.more_models.begin(), options.more_models.end());
  return sources;
}

AdminServiceOptions AdminOptionsOf(const ServerOptions& options, std::function<void()> drain) {
  AdminServiceOptions out{.upload_directory = options.admin_upload_directory,
                          .drain = std::move(drain)};
  for (const ModelSource& source : SourcesOf(options)) out.roots.push_back(source.folder);
  std::error_code error;
  if (out.upload_directory.empty()) {
    out.upload_directory = std::filesystem::temp_directory_path(error);
  }
  return out;
}

// `health` is set before the first call.
InferenceOptions InferenceOptionsOf(const ServerOptions& options,
                                    const std::unique_ptr<Health>& health,
                                    std::shared_ptr<SharedMemoryRegions> shared_memory) {
  return {.version = std::string(ServerVersion()),
          .may_change_models = options.admin,
          .check_ready = [&health] { return health->CheckServer(); },
          .check_stopping = [&health] { return health->CheckStopping(); },
          .shared_memory = std::move(shared_memory)};
}

// Returns the services on the address for calls.
std::vector<std::string> ServicesOf(const ServerOptions& options) {
  std::vector<std::string> services = {v1::TensorService::service_full_name(),
                                       tensorflow::serving::PredictionService::service_full_name(),
                                       tensorflow::serving::ModelService::service_full_name(),
                                       inference::GRPCInferenceService::service_full_name(),
                                       grpc::health::v1::Health::service_full_name()};
  if (options.admin) services.push_back(v1::AdminService::service_full_name());
  return services;
}

}  // namespace

Server::Server(ServerOptions options)
    : options_(std::move(options)),
      context_({options_.limits, options_.function}, options_.transport, ThreadsOf(options_),
               RepositoryOptionsOf(options_), options_.observability),
      shared_memory_(options_.shared_memory ? std::make_shared<SharedMemoryRegions>() : nullptr),
      service_(context_),
      prediction_service_(context_),
      model_service_(context_, options_.admin),
      inference_service_(context_, InferenceOptionsOf(options_, health_, shared_memory_)),
      admin_service_(context_, AdminOptionsOf(options_, [this] { on_drain_request_(); })),
      health_service_(context_.listener, context_.access),
      reflection_(context_.listener, context_.access, ServicesOf(options_)),
      http_(context_, InferenceOptionsOf(options_, health_, shared_memory_)) {}

Server::~Server() {
  if (grpc_server_ != nullptr && !drained_) Drain();
}

Status Server::LoadModels() {
  SIGNET_RETURN_IF_ERROR(At("--models", context_.repository.Open(SourcesOf(options_))));
  for (const std::string& skipped : context_.repository.Skipped()) {
    Log(LogLevel::kWarning, "skipped", {{"reason", skipped}});
  }
  for (const std::string& misplaced : context_.repository.Misplaced()) {
    Log(LogLevel::kError, "wrong folder", {{"reason", misplaced}});
  }
  auto models = context_.repository.List();
  for (const ModelStatus& model : models) {
    for (const VersionStatus& version : model.versions) {
      if (version.state == VersionStatus::State::kNotLoaded) continue;
      if (version.state == VersionStatus::State::kFailed) {
        Log(LogLevel::kError, "model not loaded",
            {{"model", model.name}, {"version", Cat(version.version)}, {"reason", version.reason}});
      } else {
        Log(LogLevel::kInfo, "model loaded",
            {{"model", model.name}, {"version", Cat(version.version)}});
      }
    }
  }
  if (Status ready = CheckReady(models, options_.ready); !ready.ok()) {
    std::string expected;
    if (models.empty()) {
      expected =
          "; expected NAME/VERSION/model.signet, NAME/VERSION/model.onnx, or the same without "
          "VERSION in the directory";
    }
    Log(LogLevel::kError, "not ready: health is NOT_SERVING",
        {{"reason", Cat(MessageOf(ready), expected)}, {"models", options_.models.string()}});
  }
  return absl::OkStatus();
}

void Server::Configure(grpc::ServerBuilder& builder) {
  const TransportLimits& limits = options_.transport;
  auto milliseconds_of = [](int seconds) { return seconds * 1000; };
  auto message_bytes = static_cast<int>(options_.limits.message_bytes);
  builder.SetMaxReceiveMessageSize(message_bytes);
  builder.SetMaxSendMessageSize(message_bytes);
  const std::pair<const char*, int> arguments[] = {
      {GRPC_ARG_ALLOW_REUSEPORT, 0},                   // do not share a port with another process
      {GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0},  // see MessageExpander
      {GRPC_ARG_MAX_METADATA_SIZE, limits.metadata_bytes},
      {GRPC_ARG_MAX_CONCURRENT_STREAMS, limits.concurrent_calls},
      {GRPC_ARG_MAX_CONNECTION_IDLE_MS, milliseconds_of(limits.idle_seconds)},
      {GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, milliseconds_of(limits.handshake_seconds)},
      {GRPC_ARG_KEEPALIVE_TIME_MS, milliseconds_of(limits.keepalive_seconds)},
      {GRPC_ARG_KEEPALIVE_TIMEOUT_MS, milliseconds_of(20)},
      {GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1},
      {GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0},  // unlimited; the default is 2 until data is sent
      // Clients may send pings at this interval. gRPC closes a connection with more frequent pings.
      {GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, milliseconds_of(1)},
  };
  for (const auto& [name, value] : arguments) builder.AddChannelArgument(name, value);
  if (limits.connection_age_seconds > 0) {
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_MS,
                               milliseconds_of(limits.connection_age_seconds));
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_AGE_GRACE_MS,
                               milliseconds_of(limits.connection_age_grace_seconds));
  }
  grpc::ResourceQuota quota("signet");
  quota.Resize(static_cast<size_t>(options_.transport.received_bytes));
  builder.SetResourceQuota(quota);
  builder.RegisterService(&service_);
  builder.RegisterService(&prediction_service_);
  builder.RegisterService(&model_service_);
  builder.RegisterService(&inference_service_);
  builder.RegisterService(&health_service_);
  if (options_.admin) RegisterAdmin(admin_service_, builder);
  reflection_.RegisterWith(builder);
}

Status Server::LoadSecurity() {
  SIGNET_RETURN_IF_ERROR(context_.access.Load(options_.security));
  if (!options_.security.tls_certificate.empty()) {
    SIGNET_ASSIGN_OR_RETURN(tls_, TlsCertificates::Load(options_.security));
    tls_credentials_ = TlsCertificates::MakeCredentials(tls_);
    context_.listener.ExpectTls();
  }
  LogSecurity(tls_.get(), context_.access);
  if (tls_ != nullptr || context_.access.is_enabled()) {
    reloader_ = std::make_unique<SecurityReloader>(tls_, context_.access);
  }
  return absl::OkStatus();
}

Status Server::Start() {
  SIGNET_RETURN_IF_ERROR(LoadSecurity());
  grpc::ServerBuilder builder;
  Configure(builder);
  SIGNET_RETURN_IF_ERROR(context_.observer.Start());
  auto add_acceptor = [&](std::shared_ptr<grpc::ServerCredentials> credentials) {
    return builder.experimental().AddExternalConnectionAcceptor(
        grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
        std::move(credentials));
  };
  acceptor_ = add_acceptor(grpc::InsecureServerCredentials());
  if (tls_ != nullptr) tls_acceptor_ = add_acceptor(tls_credentials_);
  SIGNET_ASSIGN_OR_RETURN(int port, context_.listener.Listen(options_.listen));
  if (!options_.unix_socket.empty()) {
    SIGNET_RETURN_IF_ERROR(context_.listener.ListenOnUnixSocket(options_.unix_socket));
  }
  grpc_server_ = builder.BuildAndStart();
  if (grpc_server_ == nullptr) return Unavailable("gRPC cannot start a server");
  port_ = port;
  health_ = std::make_unique<Health>(context_.repository, options_.ready, health_service_);
  context_.listener.Start([this](int descriptor) {
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
    connection.fd = descriptor;
    // Unix sockets are protected by the permissions of their file.
    Acceptor& acceptor = tls_ != nullptr && IsTcp(descriptor) ? *tls_acceptor_ : *acceptor_;
    acceptor.HandleNewConnection(&connection);
  });
  SIGNET_RETURN_IF_ERROR(http_.Start(options_.observability.http_tls ? tls_ : nullptr, port_));
  SIGNET_RETURN_IF_ERROR(StartAdmin());
  LogLimits();
  LogStart();
  context_.repository.OnEvent([this](const RepositoryEvent& event) {
    LogEvent(event);
    ApplyScheduling(event.model);
  });
  for (const ModelStatus& model : context_.repository.List()) ApplyScheduling(model.name);
  context_.repository.Watch(milliseconds(static_cast<int64_t>(1000 * options_.poll_seconds)));
  if (options_.port_file.empty()) return absl::OkStatus();
  return WritePortFile(options_.port_file, port_);
}

Status Server::StartAdmin() {
  if (options_.admin_listen.empty()) return absl::OkStatus();
  auto admin = std::make_unique<AdminServer>(admin_service_, options_.transport);
  // Each server needs credentials of its own, because they return the certificates only once.
  SIGNET_RETURN_IF_ERROR(admin->Start(
      options_.admin_listen, tls_ == nullptr ? nullptr : TlsCertificates::MakeCredentials(tls_)));
  std::string host = options_.admin_listen.substr(0, options_.admin_listen.rfind(':'));
  Log(LogLevel::kInfo, "administration", {{"address", Cat(host, ":", admin->port())}});
  admin_server_ = std::move(admin);
  return absl::OkStatus();
}

void Server::LogStart() const {
  std::vector<std::string> available;
  std::vector<std::string> failed;
  for (const ModelStatus& model : context_.repository.List()) {
    for (const VersionStatus& version : model.versions) {
      if (version.state == VersionStatus::State::kNotLoaded) continue;
      auto& list = version.state == VersionStatus::State::kFailed ? failed : available;
      list.push_back(Cat(model.name, "/", version.version));
    }
  }
  std::string host = options_.listen.substr(0, options_.listen.rfind(':'));
  Log(LogLevel::kInfo, "serving",
      {{"address", Cat(host, ":", port_)},
       {"models", Join(available, ",")},
       {"failed", Join(failed, ",")},
       {"compute_threads", Cat(context_.pool.num_threads())}});
}

void Server::ApplyScheduling(const std::string& model) {
  auto status = context_.repository.StatusOf(model);
  if (!status || status->settings == nullptr) return;
  context_.scheduler.Configure(model, status->settings->settings);
}

void Server::LogEvent(const RepositoryEvent& event) {
  using Kind = RepositoryEvent::Kind;
  auto log = [&](LogLevel level, std::string_view what) {
    Log(level, what,
        {{"model", event.model}, {"version", Cat(event.version)}, {"reason", event.reason}});
  };
  switch (event.kind) {
    case Kind::kLoaded:
      return Log(event.is_on_demand ? LogLevel::kDebug : LogLevel::kInfo, "model loaded",
                 {{"model", event.model},
                  {"version", Cat(event.version)},
                  {"milliseconds", Cat(event.milliseconds)}});
    case Kind::kLoadFailed:
      return log(LogLevel::kError, "model not loaded");
    case Kind::kUnloading:
      return;
    case Kind::kUnloaded:
      ReleaseMemoryOfModels();
      return Log(event.is_on_demand ? LogLevel::kDebug : LogLevel::kInfo, "model unloaded",
                 {{"model", event.model}, {"version", Cat(event.version)}});
    case Kind::kSettingsApplied:
      return Log(LogLevel::kInfo, "settings applied", {{"model", event.model}});
    case Kind::kSettingsRejected:
      return Log(LogLevel::kError, "settings rejected",
                 {{"model", event.model}, {"reason", event.reason}});
    case Kind::kScanFailed:
      return Log(LogLevel::kWarning, "models not examined", {{"reason", event.reason}});
    case Kind::kCapturesReplaced:
      return Log(LogLevel::kInfo, "captures replaced",
                 {{"model", event.model}, {"version", Cat(event.version)}});
    case Kind::kFreed:
      ReleaseMemoryOfModels();
      return Log(LogLevel::kDebug, "earlier content freed",
                 {{"model", event.model}, {"version", Cat(event.version)}});
  }
}

void Server::ReleaseMemoryOfModels() {
  // Models of 10,000 may come and go, and returning memory takes milliseconds.
  auto now = steady_clock::now().time_since_epoch().count();
  auto last = memory_released_.load();
  constexpr int64_t kInterval = 1'000'000'000;
  if (now - last > kInterval && memory_released_.compare_exchange_strong(last, now)) {
    ReleaseFreeMemory();
  }
}

void Server::ReloadFiles() {
  Log(LogLevel::kInfo, "reloading",
      {{"what", "directories of models, certificates, tokens, and permissions"}});
  context_.repository.Rescan();
  if (reloader_ != nullptr) reloader_->ReloadNow();
}

void Server::LogLimits() const {
  Log(LogLevel::kInfo, "limits",
      {{"memory", Cat(options_.memory)},
       {"max_call_bytes", Cat(options_.function.max_call_bytes)},
       {"max_expanded_bytes", Cat(options_.limits.expanded_bytes)},
       {"max_message_bytes", Cat(options_.limits.message_bytes)},
       {"max_received_bytes", Cat(options_.transport.received_bytes)},
       {"max_unread_bytes", Cat(options_.transport.unread_bytes)},
       {"max_connections", Cat(context_.listener.max_connections())}});
}

void Server::ReleaseMemoryWhenIdle() {
  const Activity activity = {.calls = context_.stats.answered() + context_.stats.explained.load(),
                             .connections = context_.listener.num_connections(),
                             .http_connections = http_.num_connections()};
  const bool idle = activity == seen_ && context_.stats.in_flight.load() == 0;
  seen_ = activity;
  if (!idle || activity == released_) return;
  released_ = activity;
  context_.repository.CollectCaches();
  ReleaseFreeMemory();
}

void Server::Drain() {
  drained_ = true;
  auto deadline = steady_clock::now() + std::chrono::seconds(options_.drain_seconds);
  Log(LogLevel::kInfo, "draining", {{"in_flight", Cat(context_.stats.in_flight.load())}});
  health_->StopServing();
  std::this_thread::sleep_until(std::min(deadline, steady_clock::now() + kHealthNotice));

  // From here on, calls fail with UNAVAILABLE, and connections are rejected.
  context_.listener.StopListening();
  context_.draining = true;
  service_.Drain();
  inference_service_.Drain();
  WaitForCalls(deadline);
  context_.repository.StopWatching();
  if (admin_server_ != nullptr) admin_server_->Stop();

  // gRPC cancels calls that arrive after its own shutdown, and clients do not retry cancelled
  // calls. The end of a connection is UNAVAILABLE to them, so the connections end first.
  context_.listener.EndConnections(kLinger);
  grpc_server_->Shutdown(std::chrono::system_clock::now() + kFlush);
  grpc_server_->Wait();
  http_.Stop();
  context_.observer.Stop();
  Log(LogLevel::kInfo, "stopped", {{"in_flight", Cat(context_.stats.in_flight.load())}});
}

void Server::WaitForCalls(steady_clock::time_point deadline) const {
  auto is_idle = [this] { return context_.stats.in_flight.load(std::memory_order_acquire) == 0; };
  while (!is_idle() && steady_clock::now() < deadline) std::this_thread::sleep_for(milliseconds(5));
  std::this_thread::sleep_for(kFlush);
}

}  // namespace signet
