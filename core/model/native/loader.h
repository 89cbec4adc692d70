// Loader: models in the native form: model.textproto or model.pb, and captures.safetensors.
//
// A door: files are measured before they are read, and names, references, arity, attributes, cycles
// (of nodes, and of functions that call one another), defaults, types and limits are checked before
// anything is kept. Every refusal says where:
//   function `score`: node `q`: input 1: no parameter, node or capture `weight`; ...
// Bodies are type-checked when they are specialised, not here. Stateless; thread-safe.

#pragma once

#include <filesystem>

#include "core/formats/common/limits.h"
#include "core/model/model_def.h"
#include "signet/v1/model.pb.h"

namespace signet {

// The content of a version folder, which exists. `types` are extension types that the program
// defines. Refusals without the folder.
StatusOr<ModelDef> LoadNativeModel(const std::filesystem::path& folder, const Limits& limits,
                                   const ExtensionProtocols& types = {});

// The same from a message, with `tensors` as further captures.
StatusOr<ModelDef> ModelDefFromProto(const v1::Model& proto, Captures tensors, const Limits& limits,
                                     const ExtensionProtocols& types = {});

}  // namespace signet
