// Operators on images: attributes of windows, dtypes of results, and names of modes.

#pragma once

#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/ops/def/inference.h"

namespace signet {

std::vector<AttributeDef> OnnxWindowAttributes();
// Converts the window attributes of the standard to the attributes of Signet's ops.
StatusOr<Attributes> WindowAttributesOf(const OpCall& call);

// Calls `op` with its first `floats` inputs converted to float32 or float64, and converts the
// output to the dtype of the first input.
StatusOr<std::vector<GraphValue>> CallInWideFloats(OpBuilder& build, std::string_view op,
                                                   std::span<const GraphValue> inputs,
                                                   size_t floats, const Attributes& attributes);

// Returns the value of `attribute` in lower case, as Signet's ops write names.
StatusOr<std::string> LowerCased(const OpCall& call, std::string_view attribute);

}  // namespace signet
