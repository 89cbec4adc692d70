// MaxOutputs: returns the largest number of outputs of an op, for inputs of any type.
//
//   MaxOutputs("add")    =>  1
//   MaxOutputs("top_k")  =>  2
//   MaxOutputs("split")  =>  nothing: it depends on the attributes and the types
//
// Models are checked with it when they are loaded, before types are known. Stateless; thread-safe.

#pragma once

#include <optional>

#include "core/ops/def/op_def.h"

namespace signet {

// The most outputs of a call of `op` with `num_inputs` inputs; nothing if it is not known.
std::optional<size_t> MaxOutputs(const OpDef& op, size_t num_inputs);

}  // namespace signet
