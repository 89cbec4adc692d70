// ConvertModel: writes a model in another form, as `signet convert SOURCE DESTINATION` does.
//
//   models/recipes/3   =>   other/recipes/3/model.signet and captures.safetensors

#pragma once

#include <cstdint>
#include <filesystem>

#include "signet/status.h"

namespace signet {

enum class ModelForm : uint8_t { kLanguage, kBinary };

// Reads the version directory `source`, one of its model files, or an ONNX file (LoadModelDef), and
// writes the model into the directory `folder`, which may be the same. Replaces a model that exists
// there. Nothing is written if loading rejects the model or `folder` contains a model.onnx.
Status ConvertModel(const std::filesystem::path& source, const std::filesystem::path& folder,
                    ModelForm form);

}  // namespace signet
