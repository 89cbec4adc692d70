// ExtensionLoader: the extension types of a model file, checked: their declarations, and the
// functions that say what ops on them mean.

#pragma once

#include <vector>

#include "core/formats/common/limits.h"
#include "core/model/model_def.h"
#include "signet/v1/model.pb.h"

namespace signet {

// Parents come before those that specialise them, and are registered so. Refusals start with the
// place: `extension type `app.Masked`: component `mask`: ...`.
StatusOr<std::vector<ExtensionTypeDef>> ReadExtensionTypes(const v1::Model& proto,
                                                           const Limits& limits,
                                                           TypeRegistry& registry);

// That functions, ops and types which `types` name exist, and that extension types may override
// those ops.
Status CheckExtensionFunctions(const std::vector<ExtensionTypeDef>& types,
                               const std::vector<FunctionDef>& functions,
                               const TypeRegistry& registry);

}  // namespace signet
