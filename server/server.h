// Server: one gRPC server with its models.
//
//   Server server(options);
//   server.LoadModels();
//   server.Start();   // accepts calls on port()
//   ...
//   server.Drain();   // reports NOT_SERVING, rejects new calls, and finishes the running ones
//
// Not thread-safe: one thread constructs, starts, and drains it. Calls run on other threads.

#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include "server/admin_server.h"
#include "server/call/serving.h"
#include "server/http_routes.h"
#include "server/options.h"
#include "server/protocols/grpc/health.h"
#include "server/protocols/grpc/health_service.h"
#include "server/protocols/grpc/reflection.h"
#include "server/protocols/inference/inference_service.h"
#include "server/protocols/signet/tensor_service.h"
#include "server/protocols/tensorflow/model_service.h"
#include "server/protocols/tensorflow/prediction_service.h"
#include "server/security/reloader.h"

namespace signet {

class Server {
 public:
  explicit Server(ServerOptions options);
  ~Server();  // drains if Drain was not called

  // Loads the models of options.models and more_models. Returns NOT_FOUND if a directory does not
  // exist. A model that cannot be loaded is logged and listed as failed.
  Status LoadModels();
  Repository& repository() { return context_.repository; }
  const Stats& stats() const { return context_.stats; }
  int64_t unread_bytes() const { return context_.unread.bytes(); }
  const Listener& listener() const { return context_.listener; }

  // Starts to accept calls. Returns UNAVAILABLE if the server cannot listen on its address, and
  // FAILED_PRECONDITION or INVALID_ARGUMENT if a file of options.security is wrong.
  Status Start();
  int port() const { return port_; }              // 0 before Start
  int http_port() const { return http_.port(); }  // 0 without --http_listen
  // Returns the port of options.admin_listen; 0 before Start, or without this address.
  int admin_port() const { return admin_server_ == nullptr ? 0 : admin_server_->port(); }
  // Sets what AdminService.Drain does: it makes the thread that owns the server call Drain. Before
  // Start.
  void OnDrainRequest(std::function<void()> callback) { on_drain_request_ = std::move(callback); }

  // Returns free memory to the operating system if no call is running, and no call or connection
  // has come or ended since the last time this was called. Call it every few seconds: an idle
  // server becomes small, and a busy server need not map its memory again.
  void ReleaseMemoryWhenIdle();

  // Examines the directories of models, and reads certificates, tokens, and permissions again, if
  // their files have changed. Loads may run after it returns.
  void ReloadFiles();

  // Rejects new calls with UNAVAILABLE, and waits until every running call has its response, or for
  // options.drain_seconds. Then ends the connections: clients then fail calls without a response
  // with UNAVAILABLE, too.
  void Drain();

 private:
  // What has happened, as far as it takes memory.
  struct Activity {
    uint64_t calls = 0;  // that are finished
    int64_t connections = 0;
    int64_t http_connections = 0;
    bool operator==(const Activity&) const = default;
  };

  void Configure(grpc::ServerBuilder& builder);
  Status StartAdmin();
  void LogEvent(const RepositoryEvent& event);
  // Passes the scheduling of a model to the scheduler.
  void ApplyScheduling(const std::string& model);
  // Returns the memory of unloaded models to the operating system, at most once per second.
  void ReleaseMemoryOfModels();
  void LogLimits() const;
  void LogStart() const;
  void WaitForCalls(std::chrono::steady_clock::time_point deadline) const;

  const ServerOptions options_;
  ServerContext context_;
  const std::shared_ptr<SharedMemoryRegions> shared_memory_;  // null without --shared_memory
  TensorService service_;
  tf::PredictionService prediction_service_;
  tf::ModelService model_service_;
  InferenceService inference_service_;
  std::function<void()> on_drain_request_ = [] {};
  AdminService admin_service_;
  std::unique_ptr<AdminServer> admin_server_;  // null before Start, or without --admin_listen
  HealthService health_service_;
  Reflection reflection_;
  HttpRoutes http_;
  int port_ = 0;
  // Reads the files of options.security.
  Status LoadSecurity();

  using Acceptor = grpc::experimental::ExternalConnectionAcceptor;
  std::shared_ptr<TlsCertificates> tls_;  // null if connections are plain
  // gRPC uses the credentials until the server ends, and does not own them.
  std::shared_ptr<grpc::ServerCredentials> tls_credentials_;
  std::unique_ptr<SecurityReloader> reloader_;  // null if no file can change
  // The acceptors hand connections to the server. They are null before Start.
  std::unique_ptr<Acceptor> acceptor_;      // of plain connections
  std::unique_ptr<Acceptor> tls_acceptor_;  // of TLS connections; null if there are none
  std::unique_ptr<grpc::Server> grpc_server_;
  std::unique_ptr<Health> health_;  // null before Start
  bool drained_ = false;
  Activity seen_;                            // when ReleaseMemoryWhenIdle was last called
  Activity released_;                        // when it last returned memory
  std::atomic<int64_t> memory_released_{0};  // when an unloaded model's memory was returned, in ns
};

}  // namespace signet
