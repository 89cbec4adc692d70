// ProblemOf: the response to a request that failed, as application/problem+json (RFC 9457).
//
//   {"type": "about:blank", "title": "Bad Request", "status": 400, "code": "INVALID_ARGUMENT",
//    "detail": "savings/1.fees: argument `accounts`: ...", "reason": "DTYPE_MISMATCH",
//    "field": "accounts[0].balances"}
//
// `detail`, `code`, `reason`, and `field` are the message and the details of the same error over
// gRPC. Stateless; thread-safe.

#pragma once

#include <nlohmann/json.hpp>

#include "server/http/http_message.h"
#include "signet/status.h"

namespace signet {

// Returns the HTTP status for an error, by the table of google.rpc.Code. If the same request would
// exceed a limit again, it is 413 and not 429, after which clients send a request again.
int HttpCodeOf(const Status& status);

// Returns the object in the body. `code` replaces the HTTP status of the table, if it is not 0.
nlohmann::ordered_json ProblemJson(const Status& status, int code = 0);

// `code` replaces the HTTP status of the table, if it is not 0. With `has_error`, the object also
// has the detail as `error`, for clients of other protocols on the same path.
HttpResponse ProblemOf(const Status& status, int code = 0, bool has_error = false);

}  // namespace signet
