// Reflection: implements grpc.reflection.v1 and v1alpha, which describe the services of the server
// to tools that have no .proto files.
//
//   Reflection reflection(server.listener, {"signet.v1.TensorService", ...});
//   reflection.RegisterWith(builder);   // the reflection services list themselves, too
//
// Thread-safe.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include <grpcpp/impl/service_type.h>
#include <grpcpp/server_builder.h>

#include "server/security/access_control.h"
#include "server/transport/listener.h"

namespace signet {

class Reflection {
 public:
  // `services` are full names of services whose descriptors are compiled in.
  Reflection(Listener& listener, const AccessControl& access, std::vector<std::string> services);
  ~Reflection();

  // Registers the services. The server that `builder` builds must end before this object.
  void RegisterWith(grpc::ServerBuilder& builder);

 private:
  std::vector<std::unique_ptr<grpc::Service>> versions_;
};

}  // namespace signet
