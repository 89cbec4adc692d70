// ImportModel: writes a model of another form in the model language, as `signet import model.onnx
// DIR` and `signet import saved_model.pb DIR` do.

#pragma once

#include <filesystem>

#include "signet/status.h"

namespace signet {

// Writes the model in `source` into `folder`, as model.signet and captures.safetensors. `source` is
// what LoadModelDef reads: a version directory, or a file such as model.onnx or saved_model.pb.
// Nothing is written if loading rejects the model or `folder` contains a
// model.onnx.
Status ImportModel(const std::filesystem::path& source, const std::filesystem::path& folder);

}  // namespace signet
