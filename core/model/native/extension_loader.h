// ReadExtensionTypes: reads and checks the extension types of a model file: their declarations, and
// the functions that define ops on them.

#pragma once

#include <vector>

#include "core/formats/common/limits.h"
#include "core/model/model_def.h"
#include "signet/v1/model.pb.h"

namespace signet {

// Returns and registers the types, parents before the types that derive from them. Errors start
// with the place: `extension type `app.Masked`: component `mask`: ...`.
StatusOr<std::vector<ExtensionTypeDef>> ReadExtensionTypes(const v1::Model& proto,
                                                           const Limits& limits,
                                                           TypeRegistry& registry);

// Checks that the functions, ops, and types that `types` name exist, and that extension types may
// override these ops.
Status CheckExtensionFunctions(const std::vector<ExtensionTypeDef>& types,
                               const std::vector<FunctionDef>& functions,
                               const TypeRegistry& registry);

}  // namespace signet
