// LoadFunction: reads and checks one function of a model file: its signature, default values,
// documentation, and body.

#pragma once

#include "core/formats/common/limits.h"
#include "core/graph/body/graph.h"
#include "core/types/registry/type_registry.h"
#include "signet/v1/model.pb.h"

namespace signet {

// The parts of a model that its functions may use.
struct ModelScope {
  const Captures& captures;
  const TypeRegistry& types;  // extension types that the model defines
  const Limits& limits;
};

// The signature is a text, or a type and default values. Names of tensors in its types are removed.
// Every optional parameter must have a default value, which CastDefaults (default_values.h) casts
// when all functions are loaded. Errors start with the place: `default of `scale`: ...`, `node `q`:
// ...`.
StatusOr<FunctionDef> LoadFunction(const v1::Function& proto, const ModelScope& model);

}  // namespace signet
