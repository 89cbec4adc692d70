// Result: that of a call, in the format that the call asks for. Stateless; thread-safe.

#pragma once

#include "core/formats/signet_wire/wire.h"
#include "core/model/model_def.h"

namespace signet {

// `model` has the message types that rows may be. The refusal of the format where it has no form
// for the value.
StatusOr<wire::Result> EncodeResult(Value value, const wire::ResultFormat& format,
                                    const ModelDef& model, const Limits& limits);

}  // namespace signet
