// What the operators on images have in common: attributes of windows, and names by other names.

#pragma once

#include "core/ops/inference.h"
#include "core/ops/onnx/inputs.h"

namespace signet {

std::vector<AttributeDef> OnnxWindowAttributes();
// The attributes of our ops with windows, from those of the standard.
StatusOr<Attributes> WindowAttributesOf(const OpCall& call);

// `attribute` in lower case, as our ops write names.
StatusOr<std::string> LowerCased(const OpCall& call, std::string_view attribute);

}  // namespace signet
