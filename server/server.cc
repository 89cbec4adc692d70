#include "server/server.h"

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include <grpc/grpc.h>
#include <grpcpp/ext/proto_server_reflection_plugin.h>
#include <grpcpp/security/server_credentials.h>

#include "server/log.h"
#include "server/process.h"

namespace signet {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Between NOT_SERVING and the end of listening: time for those who watch health to look away.
constexpr milliseconds kFarewell(500);
// After the last answer: time for it to reach the wire.
constexpr milliseconds kFlush(50);

int ThreadsOf(const ServerOptions& options) {
  return options.compute_threads > 0 ? options.compute_threads : AvailableProcessors();
}

// Written aside and renamed, so that a reader never sees half of it.
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
  return FailedPrecondition("--port_file `", path.string(),
                            "` cannot be written: ", error.message());
}

}  // namespace

Server::Server(ServerOptions options)
    : options_(std::move(options)),
      serving_({options_.limits, options_.function}, options_.transport, ThreadsOf(options_)),
      service_(serving_) {}

Server::~Server() {
  if (grpc_server_ != nullptr && !drained_) Drain();
}

Status Server::LoadModels() {
  SIGNET_RETURN_IF_ERROR(At("--models", serving_.repository.LoadAll(options_.models)));
  for (const std::string& skipped : serving_.repository.Skipped()) {
    Log(LogLevel::kWarning, "skipped", {{"reason", skipped}});
  }
  auto models = serving_.repository.List();
  if (models.empty() && !options_.models.empty()) {
    Log(LogLevel::kWarning, "no models",
        {{"folder", options_.models.string()},
         {"takes", "NAME/model.onnx, NAME/VERSION/model.onnx or NAME/VERSION/model.textproto"}});
  }
  for (const ModelStatus& model : models) {
    for (const VersionStatus& version : model.versions) {
      if (version.state == VersionStatus::State::kFailed) {
        Log(LogLevel::kError, "model not loaded",
            {{"model", model.name}, {"version", Cat(version.version)}, {"reason", version.reason}});
      } else {
        Log(LogLevel::kInfo, "model loaded",
            {{"model", model.name}, {"version", Cat(version.version)}});
      }
    }
  }
  return absl::OkStatus();
}

void Server::Configure(grpc::ServerBuilder& builder) {
  const TransportLimits& limits = options_.transport;
  auto milliseconds_of = [](int seconds) { return seconds * 1000; };
  auto message_bytes = static_cast<int>(options_.limits.message_bytes);
  builder.SetMaxReceiveMessageSize(message_bytes);
  builder.SetMaxSendMessageSize(message_bytes);
  // A compressed message is inflated before anybody asks how large it becomes.
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  const std::pair<const char*, int> arguments[] = {
      {GRPC_ARG_ALLOW_REUSEPORT, 0},  // a port that is taken is an error, not a share
      {GRPC_ARG_MAX_METADATA_SIZE, limits.metadata_bytes},
      {GRPC_ARG_MAX_CONCURRENT_STREAMS, limits.concurrent_calls},
      {GRPC_ARG_MAX_CONNECTION_IDLE_MS, milliseconds_of(limits.idle_seconds)},
      {GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, milliseconds_of(limits.handshake_seconds)},
      {GRPC_ARG_KEEPALIVE_TIME_MS, milliseconds_of(limits.keepalive_seconds)},
      {GRPC_ARG_KEEPALIVE_TIMEOUT_MS, milliseconds_of(20)},
      {GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1},
      // Clients may ask as often as this whether we are there; more is taken for an attack.
      {GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, milliseconds_of(10)},
  };
  for (const auto& [name, value] : arguments) builder.AddChannelArgument(name, value);
  builder.RegisterService(&service_);
}

Status Server::Start() {
  grpc::EnableDefaultHealthCheckService(true);
  grpc::reflection::InitProtoReflectionServerBuilderPlugin();
  grpc::ServerBuilder builder;
  Configure(builder);
  builder.AddListeningPort(options_.listen, grpc::InsecureServerCredentials(), &port_);
  int socket_bound = 1;
  if (!options_.unix_socket.empty()) {
    builder.AddListeningPort("unix:" + options_.unix_socket, grpc::InsecureServerCredentials(),
                             &socket_bound);
  }
  grpc_server_ = builder.BuildAndStart();
  if (grpc_server_ == nullptr || port_ == 0 || socket_bound == 0) {
    grpc_server_.reset();
    const std::string& place = port_ == 0 ? options_.listen : options_.unix_socket;
    return Unavailable("cannot listen on `", Printable(place),
                       "`; is it in use, or not an address of this machine?");
  }
  health_ = std::make_unique<Health>(serving_.repository, *grpc_server_->GetHealthCheckService());
  LogStart();
  if (options_.port_file.empty()) return absl::OkStatus();
  return WritePortFile(options_.port_file, port_);
}

void Server::LogStart() const {
  std::vector<std::string> available;
  std::vector<std::string> failed;
  for (const ModelStatus& model : serving_.repository.List()) {
    for (const VersionStatus& version : model.versions) {
      auto& list = version.state == VersionStatus::State::kFailed ? failed : available;
      list.push_back(Cat(model.name, "/", version.version));
    }
  }
  std::string host = options_.listen.substr(0, options_.listen.rfind(':'));
  Log(LogLevel::kInfo, "serving",
      {{"address", Cat(host, ":", port_)},
       {"models", Join(available, ",")},
       {"failed", Join(failed, ",")},
       {"compute_threads", Cat(serving_.pool.num_threads())}});
}

void Server::ReleaseMemoryWhenIdle() {
  uint64_t calls = serving_.stats.answered() + serving_.stats.explained.load();
  bool idle = calls == calls_seen_ && serving_.stats.in_flight.load() == 0;
  calls_seen_ = calls;
  if (!idle || calls == calls_released_) return;
  calls_released_ = calls;
  serving_.repository.CollectCaches();
  ReleaseFreeMemory();
}

void Server::Drain() {
  drained_ = true;
  auto deadline = steady_clock::now() + std::chrono::seconds(options_.drain_seconds);
  Log(LogLevel::kInfo, "draining", {{"in_flight", Cat(serving_.stats.in_flight.load())}});
  health_->StopServing();
  std::this_thread::sleep_until(std::min(deadline, steady_clock::now() + kFarewell));

  // Refused calls first, then none at all: gRPC cancels a call that arrives just as it shuts down.
  serving_.draining = true;
  service_.Drain();
  std::this_thread::sleep_until(std::min(deadline, steady_clock::now() + kFlush));

  // Shutdown refuses new calls at once and then waits for all open ones. Some of these never end by
  // themselves, such as those that watch health, so they are cancelled once our own calls are done.
  std::thread last_calls([this, deadline] {
    WaitForCalls(deadline);
    grpc_server_cancel_all_calls(grpc_server_->c_server());
  });
  auto remaining = std::max(deadline - steady_clock::now(), steady_clock::duration::zero());
  grpc_server_->Shutdown(std::chrono::system_clock::now() +
                         std::chrono::duration_cast<milliseconds>(remaining) + kFlush);
  last_calls.join();
  grpc_server_->Wait();
  Log(LogLevel::kInfo, "stopped", {{"in_flight", Cat(serving_.stats.in_flight.load())}});
}

void Server::WaitForCalls(steady_clock::time_point deadline) const {
  auto is_idle = [this] { return serving_.stats.in_flight.load(std::memory_order_acquire) == 0; };
  while (!is_idle() && steady_clock::now() < deadline) std::this_thread::sleep_for(milliseconds(5));
  std::this_thread::sleep_for(kFlush);
}

}  // namespace signet
