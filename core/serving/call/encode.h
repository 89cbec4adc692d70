// EncodeResult: converts the result of a call to the format that the client requests. Stateless;
// thread-safe.

#pragma once

#include "core/formats/common/call_request.h"
#include "core/formats/common/limits.h"
#include "core/model/model_def.h"

namespace signet {

// Returns `value` unchanged, or in the data format of `format`. `model` has the message types of
// rows. Returns an error if the format cannot represent the value.
StatusOr<CallResult> EncodeResult(Value value, const ResultFormat& format, const ModelDef& model,
                                  const Limits& limits);

}  // namespace signet
