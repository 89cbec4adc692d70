// StartExplainCall: explains what a call would do, without running the function:
// POST /v1/models/M/functions/F/explain.
//
// The body is that of a call (json_call.h). If the arguments do not fit the function, the outcome
// is REFUSED, and `error` is an object like an error of the API. If the function is not found, or
// the body is not JSON, the response is an error. The call needs the permission Explain.
// Thread-safe.

#pragma once

#include <memory>

#include "server/protocols/json/json_call.h"

namespace signet {

void StartExplainCall(ServerContext& server, std::shared_ptr<HttpExchange> exchange,
                      JsonTarget target);

}  // namespace signet
