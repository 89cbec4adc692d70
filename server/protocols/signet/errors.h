// Errors: refusals as they leave the server.
//
// A grpc::Status carries google.rpc details: ErrorInfo {reason, domain "signet"}, and BadRequest
// with the path of the argument at fault where there is one. Messages, descriptions and paths are
// made well-formed UTF-8 and cut, `.. ... (99120 bytes more)`, so that all of a status fits into
// the 8 KiB of trailing metadata that every client accepts. Stateless; thread-safe.

#pragma once

#include <grpcpp/support/status.h>

#include "signet/status.h"
#include "signet/v1/service.pb.h"

namespace signet {

grpc::Status GrpcStatusOf(const Status& status);
v1::Error ErrorOf(const Status& status);

}  // namespace signet
