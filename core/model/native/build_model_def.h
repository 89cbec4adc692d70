// BuildModelDef: returns the content of the model that a ModelBuilder builds.
//
//   ModelBuilder builder;
//   builder.AddFunction("f", "(x)").Result("x");
//   auto def = BuildModelDef(builder);

#pragma once

#include "core/model/model_def.h"
#include "signet/model_builder.h"

namespace signet {

// Checks all that loading checks. INVALID_ARGUMENT or NOT_FOUND, with the place.
StatusOr<ModelDef> BuildModelDef(const ModelBuilder& builder);

// Returns the definition of a type. Errors do not name the type. RegisterTypes
// (core/model/extension_type_def.h) checks how types refer to each other.
StatusOr<ExtensionTypeDef> BuildExtensionType(const ExtensionType& type);

}  // namespace signet
