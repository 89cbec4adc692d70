// AdminServer: serves AdminService on an address of its own, with its own limits, so that
// administration is possible while clients use all connections of the main address.
//
//   AdminServer admin(service);
//   SIGNET_RETURN_IF_ERROR(admin.Start("127.0.0.1:8501", tls_credentials));
//   ...
//   admin.Stop();
//
// Not thread-safe.

#pragma once

#include <memory>
#include <string>

#include <grpcpp/security/server_credentials.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include "server/protocols/signet/admin_service.h"
#include "server/transport/listener.h"

namespace signet {

// Adds `service` to a server, with a bounded number of threads.
void RegisterAdmin(AdminService& service, grpc::ServerBuilder& builder);

class AdminServer {
 public:
  // `service` must outlive the server.
  AdminServer(AdminService& service, const TransportLimits& limits);
  ~AdminServer();  // stops

  // Uses plain connections if `tls` is null. Returns UNAVAILABLE if the server cannot listen on
  // `address`.
  Status Start(const std::string& address, std::shared_ptr<grpc::ServerCredentials> tls);
  int port() const { return port_; }  // 0 before Start
  // Ends the connections and all calls.
  void Stop();

 private:
  AdminService& service_;
  const TransportLimits limits_;
  Listener listener_;
  int port_ = 0;
  // gRPC uses the credentials until the server ends, and does not own them.
  std::shared_ptr<grpc::ServerCredentials> credentials_;
  // The listener hands connections to the acceptor; both are null before Start.
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace signet
