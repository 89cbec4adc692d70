// LoadModel: loads a model from the directory of a version: model.signet, model.pb, model.onnx, or
// saved_model.pb.
//
// A parser of untrusted input. Every error is FAILED_PRECONDITION and states the place:
//   recipes/3: function `score`: node `q`: input 1: parameter, node, or capture `weight` not found;
//   ...
// Stateless; thread-safe.

#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "core/formats/common/limits.h"
#include "core/model/loaded_model.h"
#include "core/model/model_def.h"

namespace signet {

inline constexpr char kOnnxFile[] = "model.onnx";

// Returns the content of a version folder, or of one file: a model.onnx, or a saved_model.pb.
// `types` are extension types that the program defines. `find_model` is that of ModelOptions.
StatusOr<ModelDef> LoadModelDef(const std::filesystem::path& folder, const Limits& limits,
                                const ExtensionProtocols& types = {},
                                const ModelFinder& find_model = {});

// Loads a version folder: model.signet or model.pb with captures.safetensors, model.onnx, or
// saved_model.pb; or one file of the last two forms. Functions of a SavedModel that cannot be
// specialized are left out. Validates everything (names, arity, types, cycles, defaults against
// constraints, sizes, depth) before it takes memory. FAILED_PRECONDITION with the place:
// `recipes/3: function `score`: ...`.
StatusOr<std::shared_ptr<const LoadedModel>> LoadModel(const std::filesystem::path& folder,
                                                       std::string name, int64_t version,
                                                       const ModelOptions& options);

}  // namespace signet
