// AddMessageTypes: adds the message types of rows to a model. Stateless; thread-safe.

#pragma once

#include <string>

#include "core/model/model_def.h"

namespace signet {

// Parses `descriptor_set`, a serialized FileDescriptorSet, if it is not empty, and checks
// `model.message_fields`. Errors start with the place: "descriptor_set: ..." or "message_fields:
// ...".
Status AddMessageTypes(const std::string& descriptor_set, ModelDef& model);

}  // namespace signet
