// WriteNativeModel: writes a model as the files of a version directory, which the loader reads.

#pragma once

#include <filesystem>

#include "core/formats/common/limits.h"
#include "core/model/model_def.h"

namespace signet {

// Writes any model into `folder`: numeric tensors to captures.safetensors, and everything else to a
// message, model.pb. Replaces a model that exists there, and keeps other files.
// The message is read back and checked before it is written.
Status WriteNativeModel(const std::filesystem::path& folder, const ModelDef& model,
                        const Limits& limits);

}  // namespace signet
