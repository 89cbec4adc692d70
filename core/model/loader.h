// Loader: the content of a version folder, in whatever form: the native one, or a model.onnx.
//
// A door. Every refusal is FAILED_PRECONDITION and says where:
//   models/recipes/3: function `score`: node `q`: input 1: no parameter, node or capture `weight`;
//   ...
// Stateless; thread-safe.

#pragma once

#include <filesystem>

#include "core/formats/limits.h"
#include "core/model/model_def.h"

namespace signet {

inline constexpr char kOnnxFile[] = "model.onnx";

// `types` are extension types that the program defines.
StatusOr<ModelDef> LoadModelDef(const std::filesystem::path& folder, const Limits& limits,
                                const ExtensionProtocols& types = {});

}  // namespace signet
