// GrpcStatusOf: converts an error to the status of an RPC.
//
// A grpc::Status has google.rpc details: ErrorInfo with the reason and the domain "signet", and
// BadRequest with the path of the argument, if the error is about an argument. Messages,
// descriptions, and paths are converted to valid UTF-8 and cut (`... (99120 bytes more)`), so that
// a status fits into the 8 KiB of trailing metadata that every client accepts. Thread-safe.

#pragma once

#include <grpcpp/server_context.h>
#include <grpcpp/support/status.h>

#include "signet/status.h"

namespace signet {

grpc::Status GrpcStatusOf(const Status& status);

// If a queue, the memory for responses, or a limit of the caller was full, adds the trailing
// metadata that asks a client to wait before it retries.
void AddPushback(const Status& status, grpc::ServerContextBase& context);

}  // namespace signet
