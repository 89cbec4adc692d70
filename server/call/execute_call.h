// ExecuteCall: binds and runs one call on the threads of the server.
//
// Each protocol parses a message into a CallRequest, calls ExecuteCall, and writes the CallOutput.
// The steps of a call are in core/serving/call. Thread-safe.

#pragma once

#include <functional>

#include "core/formats/common/call_request.h"
#include "core/serving/call/execute.h"
#include "server/call/attempts.h"
#include "server/call/serving.h"

namespace signet {

// Binds and executes the call, and passes its outcome to `answer`, once, as RunWork does. `thread`
// is the kind of the calling thread. The objects that `control` refers to, and `observed`, must
// live until then. `observed` receives the times of the stages and the function. The threads that
// run parts of kernels are those of the priority of the call.
void ExecuteCall(ServerContext& server, CallRequest request, const RunControl& control,
                 ThreadKind thread, const CallContext& context, ObservedCall& observed,
                 std::function<void(StatusOr<CallOutput>)> answer);

// Does the same for a call whose function is already found, for example because its arguments were
// read under the types of its parameters.
void ExecuteFound(ServerContext& server, CalledFunction called, CallRequest request,
                  const RunControl& control, ThreadKind thread, const CallContext& context,
                  ObservedCall& observed, std::function<void(StatusOr<CallOutput>)> answer);

}  // namespace signet
