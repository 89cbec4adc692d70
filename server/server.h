// Server: one gRPC server with its models.
//
//   Server server(options);
//   server.LoadModels();
//   server.Start();   // from here on it answers, on port()
//   ...
//   server.Drain();   // NOT_SERVING, then no new calls, then those in flight are finished
//
// Built and drained by one thread; what it serves is thread-safe.

#pragma once

#include <memory>
#include <vector>

#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include "server/health.h"
#include "server/options.h"
#include "server/serving.h"
#include "server/tensor_service.h"

namespace signet {

class Server {
 public:
  explicit Server(ServerOptions options);
  ~Server();  // drains, unless that is done

  // Loads the models of options.models. A model that cannot be loaded is logged and listed as
  // failed; NOT_FOUND is for the folder itself.
  Status LoadModels();
  Repository& repository() { return serving_.repository; }
  const Stats& stats() const { return serving_.stats; }

  // UNAVAILABLE when the address cannot be listened on.
  Status Start();
  int port() const { return port_; }  // 0 before Start

  // To be called now and then. Gives free memory back to the operating system when no call came
  // since the last time and none is in flight, so that a quiet server is a small one, and a busy
  // one maps nothing anew.
  void ReleaseMemoryWhenIdle();

  // Returns when every call is answered, or after options.drain_seconds, when the rest is
  // cancelled.
  void Drain();

 private:
  void Configure(grpc::ServerBuilder& builder);
  void LogStart() const;
  void WaitForCalls(std::chrono::steady_clock::time_point deadline) const;

  const ServerOptions options_;
  Serving serving_;
  TensorService service_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> grpc_server_;  // null before Start
  std::unique_ptr<Health> health_;             // null before Start
  bool drained_ = false;
  uint64_t calls_seen_ = 0;      // answered when ReleaseMemoryWhenIdle last looked
  uint64_t calls_released_ = 0;  // and when it last gave memory back
};

}  // namespace signet
