// Errors: refusals as they leave the server.
//
// A grpc::Status carries google.rpc details: ErrorInfo {reason, domain "signet"}, and BadRequest
// with the path of the argument at fault where there is one. Messages are cut so that they fit into
// the trailing metadata every client accepts, and are made well-formed UTF-8. Stateless;
// thread-safe.

#pragma once

#include <grpcpp/support/status.h>

#include "core/base/status.h"
#include "signet/v1/service.pb.h"

namespace signet {

grpc::Status GrpcStatusOf(const Status& status);
v1::Error ErrorOf(const Status& status);

}  // namespace signet
