// ReadCall: the request of a call, read from its bytes.
//
//   math/1.affine: argument `x.ids`: 3 bytes of content; `int64[1]` takes 8
//
// The bytes are read before the function is looked up. Where an argument is refused, its place is
// found from what was read before it; it is `args[0].ids` when that does not name a function.
// Thread-safe.

#pragma once

#include "core/formats/signet_wire/wire.h"
#include "server/call/serving.h"

namespace signet {

StatusOr<wire::CallRequest> ReadCall(const Serving& serving, const wire::Message& message);
StatusOr<wire::StreamRequest> ReadStreamCall(const Serving& serving, const wire::Message& message);

}  // namespace signet
