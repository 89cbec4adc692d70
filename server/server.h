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

#include "server/call/serving.h"
#include "server/options.h"
#include "server/protocols/grpc/health.h"
#include "server/protocols/grpc/health_service.h"
#include "server/protocols/grpc/reflection.h"
#include "server/protocols/signet/tensor_service.h"

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
  int64_t unread_bytes() const { return serving_.unread.bytes(); }
  const Listener& listener() const { return serving_.listener; }

  // UNAVAILABLE when the address cannot be listened on.
  Status Start();
  int port() const { return port_; }  // 0 before Start

  // To be called now and then. Gives free memory back to the operating system when no call came
  // since the last time and none is in flight, so that a quiet server is a small one, and a busy
  // one maps nothing anew.
  void ReleaseMemoryWhenIdle();

  // Rejects new calls with UNAVAILABLE until every call is answered, or for options.drain_seconds.
  // Then ends the connections, so that clients fail calls without a response with UNAVAILABLE, too.
  void Drain();

 private:
  void Configure(grpc::ServerBuilder& builder);
  void LogLimits() const;
  void LogStart() const;
  void WaitForCalls(std::chrono::steady_clock::time_point deadline) const;

  const ServerOptions options_;
  Serving serving_;
  TensorService service_;
  HealthService health_service_;
  Reflection reflection_;
  int port_ = 0;
  // The acceptor hands connections to the server; both are null before Start.
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  std::unique_ptr<grpc::Server> grpc_server_;
  std::unique_ptr<Health> health_;  // null before Start
  bool drained_ = false;
  uint64_t calls_seen_ = 0;      // answered when ReleaseMemoryWhenIdle last looked
  uint64_t calls_released_ = 0;  // and when it last gave memory back
};

}  // namespace signet
