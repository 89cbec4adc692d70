// FunctionLoader: one function of a model file, checked: its signature, defaults, documents and
// body.

#pragma once

#include "core/formats/common/limits.h"
#include "core/graph/body/graph.h"
#include "core/types/registry/type_registry.h"
#include "signet/v1/model.pb.h"

namespace signet {

// What functions of a model see of it.
struct ModelScope {
  const Captures& captures;
  const TypeRegistry& types;  // that the model defines
  const Limits& limits;
};

// A signature comes as text or as type and defaults; the names of tensors in its types are dropped.
// Every optional parameter has a default value. CastDefaults (default_values.h) casts it once all
// functions are loaded. Errors start with the place: `default of `scale`: ...`, `node `q`: ...`.
StatusOr<FunctionDef> LoadFunction(const v1::Function& proto, const ModelScope& model);

}  // namespace signet
