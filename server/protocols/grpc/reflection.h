// Reflection: grpc.reflection.v1 and v1alpha, which describe the services of this server to tools
// that have no .proto files.
//
//   Reflection reflection(serving.listener, {"signet.v1.TensorService", ...});
//   reflection.RegisterWith(builder);   // the reflection services list themselves, too
//
// Thread-safe.

#pragma once

#include <memory>
#include <string>
#include <vector>

#include <grpcpp/impl/service_type.h>
#include <grpcpp/server_builder.h>

#include "server/transport/listener.h"

namespace signet {

class Reflection {
 public:
  // `services` are full names of services whose descriptors are compiled in.
  Reflection(Listener& listener, std::vector<std::string> services);
  ~Reflection();

  // The builder's server must end before this object.
  void RegisterWith(grpc::ServerBuilder& builder);

 private:
  std::vector<std::unique_ptr<grpc::Service>> versions_;
};

}  // namespace signet
