// ReadExtensionTypes: reads the extension types of a model file.

#pragma once

#include <vector>

#include "core/formats/common/limits.h"
#include "core/model/model_def.h"
#include "signet/v1/model.pb.h"

namespace signet {

// Returns the types in the order of the message. Errors start with the place: "extension type
// `app.Masked`: component `mask`: ...". RegisterTypes (core/model/extension_type_def.h) checks how
// the types refer to each other.
StatusOr<std::vector<ExtensionTypeDef>> ReadExtensionTypes(const v1::Model& proto,
                                                           const Limits& limits);

}  // namespace signet
