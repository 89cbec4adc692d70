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

}  // namespace signet
