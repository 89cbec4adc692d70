// ModelToMessage: what a client is told of a model: its functions with their types, defaults, and
// documentation, and its extension types. Stateless; thread-safe.

#pragma once

#include "core/model/loaded_model.h"
#include "signet/v1/service.pb.h"

namespace signet {

// Returns the response of GetModel without what only a server knows: other versions, labels,
// settings, and limits. Long defaults are left out.
v1::GetModelResponse ModelToMessage(const LoadedModel& model);

}  // namespace signet
