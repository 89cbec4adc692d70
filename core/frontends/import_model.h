// ImportModel: writes an ONNX model in the model language, as `signet import model.onnx DIR` does.

#pragma once

#include <filesystem>

#include "signet/status.h"

namespace signet {

// Writes the model in `file`, a model.onnx, into `folder`, as model.signet and
// captures.safetensors. Nothing is written if loading rejects the model or `folder` contains a
// model.onnx.
Status ImportModel(const std::filesystem::path& file, const std::filesystem::path& folder);

}  // namespace signet
