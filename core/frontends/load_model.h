// LoadModel: loads a model from the directory of a version: model.signet, model.pb, model.onnx,
// saved_model.pb, or frozen_graph.pb.
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
// The files that contain a model. A version directory has one of them, or both forms of a
// SavedModel.
inline constexpr const char* kModelFiles[] = {kOnnxFile,           "saved_model.pb",
                                              "saved_model.pbtxt", "frozen_graph.pb",
                                              "model.signet",      "model.pb"};

// Returns true if the last part of `path` is one of these names.
bool IsModelFile(const std::filesystem::path& path);
// Returns true if the directory contains one of these files.
bool HoldsModel(const std::filesystem::path& folder);

// Returns the content of a version folder, or of one file: one of kModelFiles, or an ONNX file or a
// frozen graph of any name. Formats of other programs are rejected with a hint how to export the
// model. `types` are extension types that the program defines. `find_model` is that of
// ModelOptions.
StatusOr<ModelDef> LoadModelDef(const std::filesystem::path& path, const Limits& limits,
                                const ExtensionProtocols& types = {},
                                const ModelFinder& find_model = {});

// Does the same, without the functions that a server leaves out, which are functions of a model of
// TensorFlow that cannot be specialized.
StatusOr<ModelDef> LoadServedModelDef(const std::filesystem::path& path, const Limits& limits);

// Loads a version folder: model.signet or model.pb with captures.safetensors, model.onnx,
// saved_model.pb, or frozen_graph.pb; or one of these files. Functions of a model of TensorFlow
// that cannot be specialized are left out. Validates everything (names, arity, types, cycles,
// defaults against constraints, sizes, depth) before it takes memory. FAILED_PRECONDITION with the
// place: `recipes/3: function `score`: ...`.
StatusOr<std::shared_ptr<const LoadedModel>> LoadModel(const std::filesystem::path& path,
                                                       std::string name, int64_t version,
                                                       const ModelOptions& options);

}  // namespace signet
