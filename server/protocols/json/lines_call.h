// StartLinesCall: calls a function with records that arrive one per line, and sends the results as
// they are computed: NDJSON in and out.
//
//   1. The lines that have arrived are the argument of one call. The response has one line per
//      result, in the order of the rows. The first lines are answered before the last ones arrive.
//   2. At most kCallsInFlight calls are in flight. Meanwhile, the body is not read, so that flow
//      control stops a client that does not read.
//   3. The first error ends the response with a line `{"error": {...}, "first_row": N}`, because
//      the status has been sent. An error of the first call is the whole response, as for other
//      calls.
//   4. Each call has the permissions, limits, and deadline of a call of its own.
// Thread-safe.

#pragma once

#include "server/protocols/json/json_call.h"

namespace signet {

// Returns true if a request sends lines and accepts lines, so that StartLinesCall can serve it.
bool StreamsLines(const HttpRequest& head);

// `exchange` has a body that is not read.
void StartLinesCall(ServerContext& server, std::shared_ptr<HttpExchange> exchange,
                    JsonTarget target);

}  // namespace signet
