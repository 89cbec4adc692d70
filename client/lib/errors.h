// StatusOf: converts the errors that a client receives to Status. Thread-safe.

#pragma once

#include <string>

#include <grpcpp/support/status.h>

#include "signet/status.h"
#include "signet/v1/service.pb.h"

namespace signet {

// Returns the error of an RPC, with the reason and the path of the argument from its google.rpc
// details (ReasonOf, FieldOf).
Status StatusOf(const grpc::Status& status);
// Returns the error of one call of a stream.
Status StatusOf(const v1::Error& error);

// Formats an error for people: the message, then lines with the field and the reason, if known.
std::string RenderError(const Status& status);

// Returns the exit code of the command line: 0 for OK, 3 if no server answered in time, else 1.
int ExitCodeOf(const Status& status);

}  // namespace signet
