// WriteNativeModel: writes a model as the files of a version directory, which the loader reads.

#pragma once

#include <filesystem>

#include "core/graph/body/graph.h"
#include "signet/v1/model.pb.h"

namespace signet {

// Makes `folder` hold this model: numeric tensors in captures.safetensors, other captures in the
// message, model.textproto or model.pb. Replaces a model that is there; other files stay.
Status WriteNativeModel(const std::filesystem::path& folder, v1::Model proto,
                        const Captures& captures, bool is_text);

}  // namespace signet
