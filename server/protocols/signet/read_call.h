// ReadCall: parses the request of a call in signet.v1.
//
//   math/1.affine: argument `x.ids`: expected 8 bytes of content for `int64[1]`, found 3
//
// The bytes are parsed before the function is looked up. The error for an argument names its
// parameter if the model and the function were parsed before that argument, and otherwise its
// position: `args[0].ids`. Thread-safe.

#pragma once

#include "core/formats/signet_wire/wire.h"
#include "server/call/call_context.h"
#include "server/call/serving.h"

namespace signet {

StatusOr<CallRequest> ReadCall(const ServerContext& server, const Access& access,
                               const wire::Message& message);
StatusOr<wire::StreamRequest> ReadStreamCall(const ServerContext& server, const Access& access,
                                             const wire::Message& message);

// Adds the model and the priority of a request that is not parsed yet to `context`. The model
// remains empty if it does not exist. `head` must outlive `context`.
void AddHead(const ServerContext& server, const wire::RequestHead& head, CallContext& context);

}  // namespace signet
