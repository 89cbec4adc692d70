// What the operators on images have in common: attributes of windows, dtypes, and names by other
// names.

#pragma once

#include "core/frontends/onnx/lower/build/inputs.h"
#include "core/ops/def/inference.h"

namespace signet {

std::vector<AttributeDef> OnnxWindowAttributes();
// The attributes of our ops with windows, from those of the standard.
StatusOr<Attributes> WindowAttributesOf(const OpCall& call);

// The output of `op`, of which the first `floats` inputs are float32 or float64: others are made of
// such, and the output of what the first one was.
StatusOr<std::vector<GraphValue>> CallInWideFloats(OpBuilder& build, std::string_view op,
                                                   std::span<const GraphValue> inputs,
                                                   size_t floats, const Attributes& attributes);

// `attribute` in lower case, as our ops write names.
StatusOr<std::string> LowerCased(const OpCall& call, std::string_view attribute);

}  // namespace signet
