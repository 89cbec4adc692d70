// ExecuteCall: carries a call from request to result, on the threads of the server.
//
// All protocols share this path: they parse a message into a CallRequest and write the CallOutput.
// The steps between are in core/serving/call. Thread-safe.

#pragma once

#include <functional>

#include "core/formats/common/call_request.h"
#include "core/serving/call/execute.h"
#include "server/call/attempts.h"
#include "server/call/serving.h"

namespace signet {

// Binds and executes the call, and passes its outcome to `answer`, once, as CarryOutWork does.
// `thread` is the kind of the calling thread. What `control` refers to must live until the answer.
void ExecuteCall(Serving& serving, CallRequest request, const RunControl& control,
                 ThreadKind thread, std::function<void(StatusOr<CallOutput>)> answer);

}  // namespace signet
