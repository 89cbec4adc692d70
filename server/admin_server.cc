#include "server/admin_server.h"

#include <chrono>
#include <utility>

#include <grpcpp/resource_quota.h>

#include "server/call/serving.h"

namespace signet {
namespace {

constexpr int kMaxConnections = 64;
constexpr int kMaxCallsPerConnection = 16;
constexpr int kMaxMessageBytes = 4 << 20;
constexpr size_t kMaxReceivedBytes = size_t{64} << 20;
constexpr int kMaxThreads = 2 * AdminService::kMaxCalls;
constexpr std::chrono::milliseconds kAdminLinger(200);
constexpr std::chrono::milliseconds kAdminFlush(50);

}  // namespace

void RegisterAdmin(AdminService& service, grpc::ServerBuilder& builder) {
  builder.SetSyncServerOption(grpc::ServerBuilder::NUM_CQS, 1);
  builder.SetSyncServerOption(grpc::ServerBuilder::MIN_POLLERS, 1);
  builder.SetSyncServerOption(grpc::ServerBuilder::MAX_POLLERS, 2);
  builder.RegisterService(&service);
}

AdminServer::AdminServer(AdminService& service, const TransportLimits& limits)
    : service_(service),
      limits_(limits),
      listener_({.max_connections = kMaxConnections,
                 .stall_seconds = limits.stall_seconds,
                 .frames = FramesOf(limits)}) {}

AdminServer::~AdminServer() { Stop(); }

Status AdminServer::Start(const std::string& address,
                          std::shared_ptr<grpc::ServerCredentials> tls) {
  grpc::ServerBuilder builder;
  constexpr int kMilliseconds = 1000;
  builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
  builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
  builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE, limits_.metadata_bytes);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kMaxCallsPerConnection);
  builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, limits_.idle_seconds * kMilliseconds);
  builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
                             limits_.handshake_seconds * kMilliseconds);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, limits_.keepalive_seconds * kMilliseconds);
  grpc::ResourceQuota quota("admin");
  quota.Resize(kMaxReceivedBytes);
  quota.SetMaxThreads(kMaxThreads);
  builder.SetResourceQuota(quota);
  RegisterAdmin(service_, builder);
  if (tls != nullptr) listener_.ExpectTls();
  credentials_ = tls != nullptr ? std::move(tls) : grpc::InsecureServerCredentials();
  acceptor_ = builder.experimental().AddExternalConnectionAcceptor(
      grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, credentials_);
  auto port = listener_.Listen(address);
  if (!port.ok()) return At("--admin_listen", port.status());
  server_ = builder.BuildAndStart();
  if (server_ == nullptr) return Unavailable("gRPC cannot start a server for --admin_listen");
  port_ = *port;
  listener_.Start([this](int descriptor) {
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
    connection.fd = descriptor;
    acceptor_->HandleNewConnection(&connection);
  });
  return absl::OkStatus();
}

void AdminServer::Stop() {
  if (server_ == nullptr) return;
  listener_.StopListening();
  listener_.EndConnections(kAdminLinger);
  server_->Shutdown(std::chrono::system_clock::now() + kAdminFlush);
  server_->Wait();
  server_ = nullptr;
}

}  // namespace signet
