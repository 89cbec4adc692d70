// Errors: refusals as a client receives them. Stateless; thread-safe.

#pragma once

#include <string>

#include <grpcpp/support/status.h>

#include "signet/status.h"
#include "signet/v1/service.pb.h"

namespace signet {

// The sentence, with the reason and the argument's path from google.rpc details (ReasonOf,
// FieldOf).
Status StatusOf(const grpc::Status& status);
// The same of a call on a stream.
Status StatusOf(const v1::Error& error);

// For people: the message, then `field: ..` and `reason: ..` lines where they are known.
std::string RenderError(const Status& status);

// The exit code of the command line for an outcome: 0 OK, 3 unreachable or too late, else 1.
int ExitCodeOf(const Status& status);

}  // namespace signet
