// WriteNativeModel: writes a model as the files of a version directory, which the loader reads.

#pragma once

#include <filesystem>

#include "core/formats/common/limits.h"
#include "core/model/model_def.h"
#include "signet/v1/model.pb.h"

namespace signet {

// Writes any model into `folder`, from whichever form or program it comes: numeric tensors into
// captures.safetensors, other captures into the message, model.textproto or model.pb. Replaces a
// model that is there; other files stay. The message is read back and checked before it is written.
Status WriteNativeModel(const std::filesystem::path& folder, const ModelDef& model,
                        const Limits& limits, bool is_text);

// Writes a message and its captures, which are known to be a valid model.
Status WriteNativeModel(const std::filesystem::path& folder, v1::Model proto,
                        const Captures& captures, bool is_text);

}  // namespace signet
