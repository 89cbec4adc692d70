// StartGenerateCall: serves one call of the paths `generate` and `generate_stream`
// (core/formats/inference/generate_json.h).
//
//   POST /v2/models/half_plus_two/generate   {"x": [1, 2]}
//
// A value is fitted to the shape of its input: the last unknown size holds the elements that the
// other sizes leave, and the other unknown sizes are 1. A value for a parameter that is not a
// tensor is its JSON. The response of `generate_stream` is one server-sent event.
//
// Thread-safe.

#pragma once

#include <memory>
#include <string>

#include "server/call/serving.h"
#include "server/http/http_server.h"

namespace signet {

// `model` may contain a function (infer_call.h). A model that is loaded at its first call is loaded
// first, because its inputs must be known.
void StartGenerateCall(ServerContext& server, const std::shared_ptr<HttpExchange>& exchange,
                       const std::string& model, const std::string& version, bool is_stream);

}  // namespace signet
