// LoadLanguageModel, WriteLanguageModel: read and write a version directory with model.signet,
// captures.safetensors, and descriptors.pb. Stateless; thread-safe.

#pragma once

#include <filesystem>
#include <functional>

#include "core/formats/common/limits.h"
#include "core/formats/safetensors/safetensors.h"
#include "core/model/model_def.h"
#include "core/model/model_name.h"

namespace signet {

// Loads what a model imports.
struct ModelImports {
  // Returns the model in a file.
  std::function<StatusOr<ModelDef>(const std::filesystem::path& file)> load_file;
  // Returns another version, and sets `folder` to its directory.
  std::function<StatusOr<ModelDef>(const ModelReference& reference, std::filesystem::path& folder)>
      load_model;
};

// Loads the model with `captures`: the content of captures.safetensors, or what replaces it. The
// language has limits of its own (limits.h). Errors do not contain the path of the directory. The
// caller sets `files->load` of the result, because it knows how files are imported.
StatusOr<ModelDef> LoadLanguageModel(const std::filesystem::path& folder, MappedTensors captures,
                                     const ExtensionProtocols& types, const ModelImports& imports);

// Writes any model into `folder`. Replaces a model that exists there, and keeps other files. The
// text is read back and compared with the model before it is written.
Status WriteLanguageModel(const std::filesystem::path& folder, const ModelDef& model,
                          const ExtensionProtocols& types = {});

// Returns `status` with the position in model.signet, if it names a function of this file.
Status WithPositionInFolder(const std::filesystem::path& folder, const Status& status);

}  // namespace signet
