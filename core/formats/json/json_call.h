// ReadJsonArguments: reads the arguments of a call in JSON, as clients send them over HTTP.
//
//   {"args": [[1, 2]], "kwargs": {"top_k": 2}}     arguments
//   [{"name": "soup", "stars": [4, 5]}]            anything else is the only argument
//
// The arguments stay encoded: each is a part of the text, and is decoded under the type of its
// parameter later. The text may come from outside. Stateless; thread-safe.

#pragma once

#include <string>

#include "core/formats/common/call_request.h"
#include "core/formats/common/limits.h"

namespace signet {

// Adds the arguments of `body` to `call`. A body without text has none.
Status ReadJsonArguments(const Buffer& body, const Limits& limits, CallRequest& call);

// Adds a positional argument.
EncodedArgument& AddEncodedArgument(CallRequest& call, DataFormat format, Buffer data);
// Adds a keyword argument in JSON. RESOURCE_EXHAUSTED if there are too many.
Status AddJsonKeyword(CallRequest& call, std::string name, Buffer value, const Limits& limits);

}  // namespace signet
