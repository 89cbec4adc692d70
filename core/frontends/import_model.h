// Import: models of other forms written in the native one; what `signet import model.onnx DIR`
// does.

#pragma once

#include <filesystem>

#include "signet/status.h"

namespace signet {

// Makes `folder` hold the model in `file`, a model.onnx, as model.textproto and
// captures.safetensors. Refused, before anything is written, as loading refuses it, and where
// `folder` has a model.onnx itself.
Status ImportModel(const std::filesystem::path& file, const std::filesystem::path& folder);

}  // namespace signet
