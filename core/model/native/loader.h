// LoadNativeModel: loads native models: model.pb, and captures.safetensors.
//
// The files may come from outside. Their sizes are checked before they are read. Names, references,
// arity, attributes, cycles (of nodes and of functions), defaults, types, and limits are checked.
// Each error states the place:
//   function `score`: node `q`: input 1: parameter, node, or capture `weight` not found; ...
// The types in a body are checked when it is specialized, not here. Stateless; thread-safe.

#pragma once

#include <filesystem>

#include "core/formats/common/limits.h"
#include "core/formats/safetensors/safetensors.h"
#include "core/model/model_def.h"
#include "signet/v1/model.pb.h"

namespace signet {

// Loads the model in a version directory, which must exist. `types` are extension types that the
// program defines. Errors do not contain the path of the directory.
StatusOr<ModelDef> LoadNativeModel(const std::filesystem::path& folder, const Limits& limits,
                                   const ExtensionProtocols& types = {});

// Loads the model with `captures` in place of captures.safetensors.
StatusOr<ModelDef> LoadNativeModel(const std::filesystem::path& folder, MappedTensors captures,
                                   const Limits& limits, const ExtensionProtocols& types = {});

// Loads a model from a message, with `tensors` as further captures.
StatusOr<ModelDef> ModelDefFromProto(const v1::Model& proto, Captures tensors, const Limits& limits,
                                     const ExtensionProtocols& types = {});

}  // namespace signet
