// ReadCall: parses the request of a call in signet.v1.
//
//   math/1.affine: argument `x.ids`: expected 8 bytes of content for `int64[1]`, found 3
//
// The bytes are parsed before the function is looked up. If an argument is rejected, its parameter
// is found from what was parsed before it; the error names `args[0].ids` if that does not name a
// function. Thread-safe.

#pragma once

#include "core/formats/signet_wire/wire.h"
#include "server/call/serving.h"

namespace signet {

StatusOr<CallRequest> ReadCall(const Serving& serving, const wire::Message& message);
StatusOr<wire::StreamRequest> ReadStreamCall(const Serving& serving, const wire::Message& message);

}  // namespace signet
