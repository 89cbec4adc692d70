// ImportModel: writes a model of another form in the model language, as `signet import model.onnx
// DIR` and `signet import saved_model.pb DIR` do.

#pragma once

#include <filesystem>

#include "signet/status.h"

namespace signet {

// Writes the model in `file`, a model.onnx or saved_model.pb, into `folder`, as model.signet and
// captures.safetensors. Nothing is written if loading rejects the model or `folder` contains a
// model.onnx.
Status ImportModel(const std::filesystem::path& file, const std::filesystem::path& folder);

}  // namespace signet
