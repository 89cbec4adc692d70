// Explain: what Call would do, without running it. Thread-safe.

#pragma once

#include "core/formats/signet_wire/wire.h"
#include "server/call/serving.h"
#include "signet/v1/service.pb.h"

namespace signet {

// A call that does not fit is explained too: outcome REFUSED, with the error. NOT_FOUND and what
// cannot be decoded are statuses.
StatusOr<v1::ExplainResponse> ExplainCall(const Serving& serving, wire::CallRequest request,
                                          const RunControl& control);

}  // namespace signet
