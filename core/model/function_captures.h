// CapturesOf: the captures of a function of a model, as its FunctionType lists them.
//
//   score(x) -> matmul(x, w), where `w` is a tensor in captures.safetensors  =>  w: float32[4, 2]
//
// Stateless; thread-safe.

#pragma once

#include <vector>

#include "core/model/model_def.h"
#include "signet/function_type.h"

namespace signet {

// Returns the captures that `function` of `model`, or a function that it calls, uses, sorted by
// name. The type of a capture is the one that the type of `function` states, or else the type of
// its value.
std::vector<Capture> CapturesOf(const ModelDef& model, const FunctionDef& function);

}  // namespace signet
