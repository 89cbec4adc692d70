// LoadLanguageModel, WriteLanguageModel: read and write a version directory with model.signet,
// captures.safetensors, and descriptors.pb. Stateless; thread-safe.

#pragma once

#include <filesystem>

#include "core/formats/common/limits.h"
#include "core/formats/safetensors/safetensors.h"
#include "core/model/model_def.h"

namespace signet {

// Errors do not contain the path of the directory.
StatusOr<ModelDef> LoadLanguageModel(const std::filesystem::path& folder,
                                     const ExtensionProtocols& types = {});

// Loads the model with `captures` in place of captures.safetensors. The language has limits of its
// own (limits.h).
StatusOr<ModelDef> LoadLanguageModel(const std::filesystem::path& folder, MappedTensors captures,
                                     const Limits& limits, const ExtensionProtocols& types = {});

// Writes any model into `folder`. Replaces a model that exists there, and keeps other files. The
// text is read back and compared with the model before it is written.
Status WriteLanguageModel(const std::filesystem::path& folder, const ModelDef& model,
                          const ExtensionProtocols& types = {});

// Returns `status` with the position in model.signet, if it names a function of this file.
Status WithPositionInFolder(const std::filesystem::path& folder, const Status& status);

}  // namespace signet
